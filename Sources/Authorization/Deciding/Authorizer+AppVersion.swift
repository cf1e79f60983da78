import HTTPCore
import Tenants

/// `app_version`.
extension Authorizer {
    /// An app that is too old hears of it whatever its token and wherever it asks, at sign-in too; before that only a
    /// flood is held off, and a preflight answered, which has no version.
    func checkAppVersion(_ input: DecisionInput, _ bytes: Span<UInt8>) -> Decision? {
        guard let check = input.request.tenant.appVersion else { return nil }
        return decide(check, input, bytes)
    }

    private func decide(_ check: AppVersionCheck, _ input: DecisionInput, _ bytes: Span<UInt8>) -> Decision? {
        let (decisionContext, request) = (input.decisionContext, input.request)
        guard let finding = check.finding(request.request, bytes) else { return nil }
        decisionContext.appVersion = finding
        decisionContext.explanation?.note(finding, check.rules)
        guard case .belowMinimum = finding else { return nil }
        let refusal = check.refusal(input.head, bytes)
        guard request.tenant.tenant.mode == .observe else { return .refused(refusal, request.tenant) }
        let line = request.tenant.tenant.lines["mode"] ?? check.rules.line
        decisionContext.note(ObservedRefusal(refusal: refusal, line: line))
        return nil
    }
}

extension Explanation {
    fileprivate func note(_ finding: AppVersionFinding, _ rules: AppVersionRules) {
        let (minimum, recommended) = (rules.minimum?.description ?? "", rules.recommended?.description ?? "")
        let text =
            switch finding {
            case .missing: "the request does not say the app's version (\(rules.header)), and passes"
            case .unreadable: "what \(rules.header) says is no version, and the request passes"
            case .current: "the app's version is served"
            case .belowRecommended:
                "the app's version is below \"recommended\" (\(recommended)), and the response says so"
            case .belowMinimum: "the app's version is below \"minimum\" (\(minimum))"
            }
        note(.appVersion, text, line: rules.line)
    }
}
