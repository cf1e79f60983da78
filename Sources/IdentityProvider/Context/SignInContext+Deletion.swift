import Tenants
import Time

extension SignInContext {
    /// Ends a session that has just begun, if its account was deleted while it did, or what began it was taken off the
    /// account.
    ///
    /// Both change the account before they end sessions: so either the change is found here, or the session is found there.
    ///
    /// - Parameter way: What began it: a provider's name, or that of passkeys; nil: not known.
    /// - Throws: If so, or if that is not known: the session's tokens must not be sent.
    func checkAccount(
        of session: IssuedTokens,
        subject: String,
        by way: String?,
        at now: UnixTime
    ) async throws(EndpointRefusal) {
        guard accountsMayChange, let sessions else { return }
        let account = try await mappingErrors({ _ in EndpointRefusal.storeUnavailable }) {
            () async throws(AccountProblem) in try await accounts.account(ofSubject: subject)
        }
        if let account, way.map(account.isEntered) ?? true { return }
        let change = account == nil ? "the account was deleted" : "its way in was removed"
        try await mappingErrors({ EndpointRefusal($0) }) { () async throws(IssuingError) in
            try await sessions.end(sessionID: session.sessionID, at: now, reason: change)
        }
        throw .invalidToken("\(change): sign in again")
    }
}

extension Account {
    /// Whether a way in is one of the account's: a provider's name, or that of passkeys.
    func isEntered(by way: String) -> Bool {
        way == SignIn.Provider.passkey ? !passkeys.isEmpty : identities.contains { $0.provider.rawValue == way }
    }
}
