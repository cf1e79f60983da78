import Localization

extension SignInProblem {
    /// What the page says: what happened, and what to do.
    func texts(_ texts: SignInTexts) -> (title: String, happened: String, advice: String) {
        switch self {
        case .unknownClient: (texts.unknownApp, texts.unknownAppReason, texts.unknownAppAdvice)
        case .malformed, .methodNotAllowed, .foreignAfter: (texts.malformed, texts.malformedReason, texts.beginAgain)
        case .over: (texts.over, texts.overReason, texts.beginAgain)
        case .otherBrowser: (texts.otherBrowser, texts.otherBrowserReason, texts.otherBrowserAdvice)
        case .notSignedIn: (texts.notSignedIn, texts.notSignedInReason, texts.beginAgain)
        case .refusedAfterSignIn(.missing): (texts.doesNotOpen, texts.cookieMissing, texts.cookieAdvice)
        case .refusedAfterSignIn: (texts.doesNotOpen, texts.sessionRefused, texts.clockAdvice)
        case .formNotSent: (texts.formLost, texts.formLostReason, texts.formLostAdvice)
        case .otherRole(let role):
            (texts.accountRefused, FilledText.plain(texts.otherRole, role), texts.otherAccount)
        case .refusedByHook(_, let message): (texts.accountRefused, message, texts.otherAccount)
        case .notAllowed: (texts.notAllowed, texts.notAllowedReason, texts.otherAccount)
        case .providerUnavailable(let name, _):
            (
                FilledText.plain(texts.providerDown, name), FilledText.plain(texts.providerDownReason, name),
                texts.providerDownAdvice
            )
        case .tooMany: (texts.tooMany, texts.tooManyReason, texts.tooManyAdvice)
        case .unavailable: (texts.unavailable, texts.unavailableReason, texts.unavailableAdvice)
        }
    }
}
