import ConfigurationText
import Counting
import Tenants

/// Grants and refusals, by the mode of the tenant and of the rule.
extension Authorizer {
    func grant(
        _ input: DecisionInput,
        _ caller: Caller?,
        _ outcome: Outcome,
        signsOut: [Caller]? = nil,
        needsCaller: Bool = false
    ) -> Decision {
        let decisionContext = input.decisionContext
        let grant = Grant(
            request: input.request,
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
        _ input: DecisionInput,
        _ refusal: Refusal,
        _ caller: Caller?,
        signsOut: [Caller]? = nil,
        observing rule: SourceLine? = nil
    ) -> Decision {
        let tenant = input.request.tenant.tenant
        let tenantLine = tenant.mode == .observe ? tenant.lines["mode"] ?? 0 : nil
        guard let line = tenantLine ?? rule else { return .refused(refusal, input.request.tenant) }
        input.decisionContext.note(ObservedRefusal(refusal: refusal, line: line))
        return grant(input, caller, .refused(refusal.code), signsOut: signsOut)
    }

    /// - Returns: Nil if the limit is only observed; the next checks decide.
    func refuse(_ input: DecisionInput, _ finding: TenantLimits.Finding) -> Decision? {
        guard finding.isObserved || input.request.tenant.tenant.mode == .observe else {
            return .refused(finding.refusal, input.request.tenant)
        }
        input.decisionContext.note(ObservedRefusal(refusal: finding.refusal, line: finding.line))
        return nil
    }
}
