package import Counting
import Tenants

/// What a check that fails, or passes, comes to in the tenant's mode.
extension Authorizer {
    package func grant(
        _ question: DecisionQuestion,
        _ caller: Caller?,
        _ outcome: Outcome,
        signsOut: Caller? = nil,
        needsCaller: Bool = false
    ) -> Decision {
        let circumstances = question.circumstances
        let grant = Grant(
            request: question.request,
            caller: caller,
            outcome: circumstances.observed.map { .refused($0.refusal.code) } ?? outcome,
            signsOut: signsOut,
            needsCaller: needsCaller
        )
        guard let signIn = circumstances.signIn else { return .granted(grant) }
        return .granted(grant.with(signIn))
    }

    /// A refusal, or where it is only observed the grant that takes note of it. Only who was verified is vouched for.
    ///
    /// - Parameter observing: The line of a rule that is only observed.
    package func refuse(
        _ question: DecisionQuestion,
        _ refusal: Refusal,
        _ caller: Caller?,
        signsOut: Caller? = nil,
        observing rule: Int? = nil
    ) -> Decision {
        let tenant = question.request.tenant.tenant
        let tenantLine = tenant.mode == .observe ? tenant.lines["mode"] ?? 0 : nil
        guard let line = tenantLine ?? rule else { return .refused(refusal, question.request.tenant) }
        question.circumstances.note(ObservedRefusal(refusal: refusal, line: line))
        return grant(question, caller, .refused(refusal.code), signsOut: signsOut)
    }

    /// - Returns: Nil where the limit is only observed: the decision goes on.
    package func refuse(
        _ question: DecisionQuestion,
        _ finding: TenantLimits.Finding,
        _ caller: Caller? = nil
    ) -> Decision? {
        guard finding.isObserved || question.request.tenant.tenant.mode == .observe else {
            return .refused(finding.refusal, question.request.tenant)
        }
        question.circumstances.note(ObservedRefusal(refusal: finding.refusal, line: finding.line))
        return nil
    }
}
