public import Time
public import Verification

/// What people change about their own accounts, and the passkeys that they sign in with.
public protocol AccountKeeping: Sendable {
    /// Whether logins can be unlinked: not where an account hook says whose they are.
    var unlinksLogins: Bool { get }

    /// Whether an account keeps a way in without one of its logins: another login of the tenant's own providers. Without
    /// one its passkeys let nobody in.
    func isUnlinkable(_ identity: Account.Identity, from account: Account) -> Bool

    /// Signs in with a passkey. The role and the account hook decide as with a provider.
    ///
    /// - Parameter check: Checks what the authenticator says; its result is kept. Called again if the account was
    /// changed   meanwhile.
    /// - Returns: The account, and the passkey as it is kept now.
    func signIn(
        _ claim: PasskeyClaim,
        at now: UnixTime,
        _ check: (PasskeyCredential) throws(PasskeyFailure) -> PasskeyCredential
    ) async throws(PasskeyProblem) -> (account: Account, passkey: AccountPasskey)

    /// Adds a passkey, which must be nobody's yet.
    func add(_ passkey: AccountPasskey, toSubject subject: String, at now: UnixTime) async throws(AccountChangeProblem)

    func renamePasskey(
        _ id: [UInt8],
        ofSubject subject: String,
        to name: String
    ) async throws(AccountChangeProblem)

    /// Removes a passkey; its owner still has a provider's login.
    func removePasskey(_ id: [UInt8], ofSubject subject: String) async throws(AccountChangeProblem)

    /// Unlinks a login, unless it is the last one of the tenant's own providers: the identity gets an account of its own
    /// when it signs in next.
    func unlink(
        _ identity: Account.Identity,
        ofSubject subject: String,
        at now: UnixTime
    ) async throws(AccountChangeProblem)
}

/// What a response of an authenticator says about whose it is.
public struct PasskeyClaim: Sendable, Equatable {
    /// The credential's.
    public var id: [UInt8]
    public var userHandle: [UInt8]

    public init(id: [UInt8], userHandle: [UInt8]) {
        self.id = id
        self.userHandle = userHandle
    }
}

/// Why nobody is signed in by a passkey.
public enum PasskeyProblem: Error, Sendable, Equatable {
    /// It is of no account.
    case unknown
    /// It is this account's, but the response is not good.
    case refused(PasskeyFailure, subject: String)
    case account(AccountProblem)
}

/// Why an account was not changed.
public enum AccountChangeProblem: Error, Sendable, Equatable {
    /// There is no such account, login or passkey, or no longer.
    case notThere
    /// The account has as many passkeys as one may have.
    case tooManyPasskeys
    /// The passkey is an account's already.
    case passkeyTaken
    case lastWayIn
    /// The account hook says whose logins are.
    case decidedElsewhere
    case account(AccountProblem)
}
