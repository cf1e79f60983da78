package import Tenants

/// The texts of the sign-in page, of the page after it, of their errors and of the issuer's logout in one language,
/// named as in ``SignInText``.
package struct SignInTexts: Sendable {
    // The sign-in page.
    package var title: String
    package var destination: String
    package var signInWith: String
    package var usesProfile: String
    package var usesMore: String
    package var continueAs: String
    package var otherAccountBelow: String
    package var cancel: String

    // Afterwards.
    package var signedIn: String
    package var goOn: String

    // Errors: for support, and ways on.
    package var code: String
    package var request: String
    package var back: String
    package var backTo: String
    package var signInAgain: String
    package var signIn: String
    package var beginAgain: String
    package var otherAccount: String

    // Errors: what happened.
    package var unknownApp: String
    package var unknownAppReason: String
    package var unknownAppAdvice: String
    package var malformed: String
    package var malformedReason: String
    package var over: String
    package var overReason: String
    package var otherBrowser: String
    package var otherBrowserReason: String
    package var otherBrowserAdvice: String
    package var notSignedIn: String
    package var notSignedInReason: String
    package var doesNotOpen: String
    package var cookieMissing: String
    package var cookieAdvice: String
    package var sessionRefused: String
    package var clockAdvice: String
    package var formLost: String
    package var formLostReason: String
    package var formLostAdvice: String
    package var accountRefused: String
    package var otherRole: String
    package var notAllowed: String
    package var notAllowedReason: String
    package var providerDown: String
    package var providerDownReason: String
    package var providerDownAdvice: String
    package var tooMany: String
    package var tooManyReason: String
    package var tooManyAdvice: String
    package var unavailable: String
    package var unavailableReason: String
    package var unavailableAdvice: String

    // Logout at the issuer.
    package var signOut: String
    package var signOutInApp: String
    package var signOutQuestion: String
    package var signedOut: String
    package var signedOutAdvice: String
    package var signOutFailed: String
    package var signOutUnreadable: String
    package var signOutUnknown: String
    package var signOutOtherApp: String
    package var signOutElsewhere: String
    package var signOutUnavailable: String
}

extension SignInTexts: WrittenTexts {
    package static var own: KeyPath<PageTexts.Language, [SignInText: String]> { \.signIn }

    package static func builtIn(_ language: PageLanguage.BuiltIn) -> SignInTexts {
        switch language {
        case .english: .english
        case .german: .german
        case .spanish: .spanish
        case .french: .french
        case .japanese: .japanese
        }
    }

    package static func property(_ name: SignInText) -> WritableKeyPath<SignInTexts, String> {
        switch name {
        case .title: \.title
        case .destination: \.destination
        case .signInWith: \.signInWith
        case .usesProfile: \.usesProfile
        case .usesMore: \.usesMore
        case .continueAs: \.continueAs
        case .otherAccountBelow: \.otherAccountBelow
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
        case .signOutQuestion: \.signOutQuestion
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
