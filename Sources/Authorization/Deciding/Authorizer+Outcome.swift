import Counting
import Tenants

/// Grants and refusals, by the mode of the tenant and of the rule.
extension Authorizer {
    func grant(
        _ question: DecisionInput,
        _ caller: Caller?,
        _ outcome: Outcome,
        signsOut: Caller? = nil,
        needsCaller: Bool = false
    ) -> Decision {
        let decisionContext = question.decisionContext
        let grant = Grant(
            request: question.request,
            caller: caller,
            outcome: decisionContext.observed.map { .refused($0.refusal.code) } ?? outcome,
            signsOut: signsOut,
            needsCaller: needsCaller
        )
        guard let signIn = decisionContext.signIn else { return .granted(grant) }
        return .granted(grant.with(signIn))
    }

    /// A refusal; if it is only observed, a grant that notes it.
    ///
    /// - Parameter caller: The identity that the backend gets with such a grant; nil for none.
    /// - Parameter rule: The line of a rule that is only observed.
    func refuse(
        _ question: DecisionInput,
        _ refusal: Refusal,
        _ caller: Caller?,
        signsOut: Caller? = nil,
        observing rule: Int? = nil
    ) -> Decision {
        let tenant = question.request.tenant.tenant
        let tenantLine = tenant.mode == .observe ? tenant.lines["mode"] ?? 0 : nil
        guard let line = tenantLine ?? rule else { return .refused(refusal, question.request.tenant) }
        question.decisionContext.note(ObservedRefusal(refusal: refusal, line: line))
        return grant(question, caller, .refused(refusal.code), signsOut: signsOut)
    }

    /// - Returns: Nil if the limit is only observed; the next checks decide.
    func refuse(_ question: DecisionInput, _ finding: TenantLimits.Finding) -> Decision? {
        guard finding.isObserved || question.request.tenant.tenant.mode == .observe else {
            return .refused(finding.refusal, question.request.tenant)
        }
        question.decisionContext.note(ObservedRefusal(refusal: finding.refusal, line: finding.line))
        return nil
    }
}
