/// A tenant's own texts of the hosted pages: in place of the built-in ones, or in further languages.
public struct PageTexts: Sendable, Equatable {
    /// The texts of one language; those that are not there are the built-in ones.
    public struct Language: Sendable, Equatable {
        /// As in `lang` (RFC 5646).
        public let tag: String
        /// The tag as it is compared with others, in lower case.
        public let foldedTag: String
        public let signIn: [SignInText: String]
        public let account: [AccountText: String]
        public let deletion: [DeletionText: String]

        init(
            tag: String,
            signIn: [SignInText: String],
            account: [AccountText: String],
            deletion: [DeletionText: String]
        ) {
            self.tag = tag
            foldedTag = tag.lowercased()
            self.signIn = signIn
            self.account = account
            self.deletion = deletion
        }
    }

    /// In the order of the file, each tag once, ignoring case.
    public let languages: [Language]
}

/// The name of a text of the hosted pages.
public protocol PageText: RawRepresentable, CaseIterable, Hashable, Sendable where RawValue == String {
    /// Those with a place for a name, ``PageTextPlace/mark``.
    static var withPlace: Set<Self> { get }
}

/// Where a name or a time stands in a text.
public enum PageTextPlace {
    public static let mark = "{}"
}

/// The texts of the sign-in page, of the page after it, of their errors, and of the issuer's logout.
public enum SignInText: String, PageText {
    case title, destination
    case signInWith = "sign_in_with"
    case usesProfile = "uses_profile"
    case usesMore = "uses_more"
    case continueAs = "continue_as"
    case otherAccountBelow = "other_account_below"
    case cancel
    case signedIn = "signed_in"
    case goOn = "go_on"
    case code, request, back
    case backTo = "back_to"
    case signInAgain = "sign_in_again"
    case signIn = "sign_in"
    case beginAgain = "begin_again"
    case otherAccount = "other_account"
    case unknownApp = "unknown_app"
    case unknownAppReason = "unknown_app_reason"
    case unknownAppAdvice = "unknown_app_advice"
    case malformed
    case malformedReason = "malformed_reason"
    case over
    case overReason = "over_reason"
    case otherBrowser = "other_browser"
    case otherBrowserReason = "other_browser_reason"
    case otherBrowserAdvice = "other_browser_advice"
    case notSignedIn = "not_signed_in"
    case notSignedInReason = "not_signed_in_reason"
    case doesNotOpen = "does_not_open"
    case cookieMissing = "cookie_missing"
    case cookieAdvice = "cookie_advice"
    case sessionRefused = "session_refused"
    case clockAdvice = "clock_advice"
    case formLost = "form_lost"
    case formLostReason = "form_lost_reason"
    case formLostAdvice = "form_lost_advice"
    case accountRefused = "account_refused"
    case otherRole = "other_role"
    case notAllowed = "not_allowed"
    case notAllowedReason = "not_allowed_reason"
    case providerDown = "provider_down"
    case providerDownReason = "provider_down_reason"
    case providerDownAdvice = "provider_down_advice"
    case tooMany = "too_many"
    case tooManyReason = "too_many_reason"
    case tooManyAdvice = "too_many_advice"
    case unavailable
    case unavailableReason = "unavailable_reason"
    case unavailableAdvice = "unavailable_advice"
    case signOut = "sign_out"
    case signOutInApp = "sign_out_in_app"
    case signOutQuestion = "sign_out_question"
    case signedOut = "signed_out"
    case signedOutAdvice = "signed_out_advice"
    case signOutFailed = "sign_out_failed"
    case signOutUnreadable = "sign_out_unreadable"
    case signOutUnknown = "sign_out_unknown"
    case signOutOtherApp = "sign_out_other_app"
    case signOutElsewhere = "sign_out_elsewhere"
    case signOutUnavailable = "sign_out_unavailable"

    public static let withPlace: Set<SignInText> = [
        .title, .destination, .signInWith, .continueAs, .code, .request, .backTo, .otherRole, .providerDown,
        .providerDownReason,
    ]
}

/// The texts of the account page, and of signing in with a passkey.
public enum AccountText: String, PageText {
    case title
    case signedInAs = "signed_in_as"
    case signedOutTitle = "signed_out_title"
    case signedOut = "signed_out"
    case signIn = "sign_in"
    case sessions
    case thisSession = "this_session"
    case lastUsed = "last_used"
    case unknownDevice = "unknown_device"
    case signOut = "sign_out"
    case signOutOthers = "sign_out_others"
    case logins, unlink
    case lastWayIn = "last_way_in"
    case passkeys
    case noPasskeys = "no_passkeys"
    case added
    case neverUsed = "never_used"
    case name, rename, remove
    case addPasskey = "add_passkey"
    case signInAgain = "sign_in_again"
    case newPasskey = "new_passkey"
    case sessionEnded = "session_ended"
    case othersEnded = "others_ended"
    case loginUnlinked = "login_unlinked"
    case passkeyAdded = "passkey_added"
    case passkeyRenamed = "passkey_renamed"
    case passkeyRemoved = "passkey_removed"
    case outdated
    case notThere = "not_there"
    case tooManyPasskeys = "too_many_passkeys"
    case passkeyRefused = "passkey_refused"
    case decidedElsewhere = "decided_elsewhere"
    case unavailable
    case signInWithPasskey = "sign_in_with_passkey"
    case choosePasskey = "choose_passkey"
    case passkeyFailed = "passkey_failed"
    case otherAccount = "other_account"
    case otherAccountNamed = "other_account_named"
    case goOn = "go_on"

    public static let withPlace: Set<AccountText> = [.signedInAs, .lastUsed, .added, .otherAccountNamed]
}

/// The texts about deleting an account.
public enum DeletionText: String, PageText {
    case title, explanation, ask, question, confirm, back
    case begunTitle = "begun_title"
    case begun, receipt

    public static let withPlace: Set<DeletionText> = []
}
