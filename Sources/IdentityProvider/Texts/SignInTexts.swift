import Tenants

/// The texts of the sign-in page, of the page after it, of their errors and of the issuer's logout in one language,
/// named as in ``SignInText``.
struct SignInTexts: Sendable {
    // The sign-in page.
    var title: String
    var destination: String
    var signInWith: String
    var usesProfile: String
    var usesMore: String
    var cancel: String

    // Afterwards.
    var signedIn: String
    var goOn: String

    // Errors: for support, and ways on.
    var code: String
    var request: String
    var back: String
    var backTo: String
    var signInAgain: String
    var signIn: String
    var beginAgain: String
    var otherAccount: String

    // Errors: what happened.
    var unknownApp: String
    var unknownAppReason: String
    var unknownAppAdvice: String
    var malformed: String
    var malformedReason: String
    var over: String
    var overReason: String
    var otherBrowser: String
    var otherBrowserReason: String
    var otherBrowserAdvice: String
    var notSignedIn: String
    var notSignedInReason: String
    var doesNotOpen: String
    var cookieMissing: String
    var cookieAdvice: String
    var sessionRefused: String
    var clockAdvice: String
    var formLost: String
    var formLostReason: String
    var formLostAdvice: String
    var accountRefused: String
    var otherRole: String
    var notAllowed: String
    var notAllowedReason: String
    var providerDown: String
    var providerDownReason: String
    var providerDownAdvice: String
    var tooMany: String
    var tooManyReason: String
    var tooManyAdvice: String
    var unavailable: String
    var unavailableReason: String
    var unavailableAdvice: String

    // Logout at the issuer.
    var signOut: String
    var signOutInApp: String
    var signedOut: String
    var signedOutAdvice: String
    var signOutFailed: String
    var signOutUnreadable: String
    var signOutUnknown: String
    var signOutOtherApp: String
    var signOutElsewhere: String
    var signOutUnavailable: String
}

extension SignInTexts: WrittenTexts {
    static var own: KeyPath<PageTexts.Language, [SignInText: String]> { \.signIn }

    static func builtIn(_ language: PageLanguage.BuiltIn) -> SignInTexts {
        switch language {
        case .english: .english
        case .german: .german
        case .spanish: .spanish
        case .french: .french
        case .japanese: .japanese
        }
    }

    static func property(_ name: SignInText) -> WritableKeyPath<SignInTexts, String> {
        switch name {
        case .title: \.title
        case .destination: \.destination
        case .signInWith: \.signInWith
        case .usesProfile: \.usesProfile
        case .usesMore: \.usesMore
        case .cancel: \.cancel
        case .signedIn: \.signedIn
        case .goOn: \.goOn
        case .code: \.code
        case .request: \.request
        case .back: \.back
        case .backTo: \.backTo
        case .signInAgain: \.signInAgain
        case .signIn: \.signIn
        case .beginAgain: \.beginAgain
        case .otherAccount: \.otherAccount
        case .unknownApp: \.unknownApp
        case .unknownAppReason: \.unknownAppReason
        case .unknownAppAdvice: \.unknownAppAdvice
        case .malformed: \.malformed
        case .malformedReason: \.malformedReason
        case .over: \.over
        case .overReason: \.overReason
        case .otherBrowser: \.otherBrowser
        case .otherBrowserReason: \.otherBrowserReason
        case .otherBrowserAdvice: \.otherBrowserAdvice
        case .notSignedIn: \.notSignedIn
        case .notSignedInReason: \.notSignedInReason
        case .doesNotOpen: \.doesNotOpen
        case .cookieMissing: \.cookieMissing
        case .cookieAdvice: \.cookieAdvice
        case .sessionRefused: \.sessionRefused
        case .clockAdvice: \.clockAdvice
        case .formLost: \.formLost
        case .formLostReason: \.formLostReason
        case .formLostAdvice: \.formLostAdvice
        case .accountRefused: \.accountRefused
        case .otherRole: \.otherRole
        case .notAllowed: \.notAllowed
        case .notAllowedReason: \.notAllowedReason
        case .providerDown: \.providerDown
        case .providerDownReason: \.providerDownReason
        case .providerDownAdvice: \.providerDownAdvice
        case .tooMany: \.tooMany
        case .tooManyReason: \.tooManyReason
        case .tooManyAdvice: \.tooManyAdvice
        case .unavailable: \.unavailable
        case .unavailableReason: \.unavailableReason
        case .unavailableAdvice: \.unavailableAdvice
        case .signOut: \.signOut
        case .signOutInApp: \.signOutInApp
        case .signedOut: \.signedOut
        case .signedOutAdvice: \.signedOutAdvice
        case .signOutFailed: \.signOutFailed
        case .signOutUnreadable: \.signOutUnreadable
        case .signOutUnknown: \.signOutUnknown
        case .signOutOtherApp: \.signOutOtherApp
        case .signOutElsewhere: \.signOutElsewhere
        case .signOutUnavailable: \.signOutUnavailable
        }
    }
}
