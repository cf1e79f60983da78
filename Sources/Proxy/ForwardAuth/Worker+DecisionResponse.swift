package import Authorization
import Counting
package import HTTPCore

extension Worker {
    /// Turns a decision into the response to a decision query. It is recorded, and counted if only observed.
    ///
    /// - Parameters:
    ///   - head: The head of the request in question.
    ///   - bytes: The bytes of the head.
    package func answer(
        _ verdict: Authorizer.Decision,
        _ decisionContext: DecisionContext,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ record: inout ExchangeRecord
    ) -> DecisionResponse {
        let tokens = decisionContext.severalTokens
        let answer = DecisionResponse(verdict, withheld: tokens?.withheld ?? [])
        if let tokens, case .granted(let grant) = verdict { countPassedOver(tokens, of: grant.request.tenant) }
        record.tenant = answer.tenant.map { serving.tenants[$0.index] }
        if let rules = record.tenant?.answerRules, rules.dependsOnApp {
            noteApp(&record, decisionContext.appVersion, rules, head, bytes)
        }
        logRequest(&record, head, bytes, isBehindProxy: true)
        if case .granted(let grant) = verdict, case .refused(let code) = grant.outcome {
            record.reason = decisionContext.observed?.refusal.detail
            record.isObserved = true
            keepRefusedHead(&record, head, bytes)
            note(code, decisionContext.observed, grant, record.id, head, bytes)
        }
        switch answer {
        case .pass(let pass):
            record.user.caller = pass.caller
            record.outcome = pass.outcome
        case .preflight: record.outcome = .anonymous
        case .refuse: keepRefusedHead(&record, head, bytes)
        }
        return answer
    }
}
