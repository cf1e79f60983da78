import Time

extension SignInContext {
    /// Ends a session that has just begun, if its account was deleted while it did.
    ///
    /// The deletion marks the account before it ends the sessions: so either the mark is found here, or the session is
    /// found there.
    ///
    /// - Throws: If so, or if that is not known: the session's tokens must not be sent.
    func checkAccount(of session: IssuedTokens, subject: String, at now: UnixTime) async throws(EndpointRefusal) {
        guard accountsMayGo, let sessions else { return }
        let account = try await mappingErrors({ _ in EndpointRefusal.storeUnavailable }) {
            () async throws(AccountProblem) in try await accounts.account(ofSubject: subject)
        }
        guard account == nil else { return }
        try await mappingErrors({ EndpointRefusal($0) }) { () async throws(IssuingError) in
            try await sessions.end(sessionID: session.sessionID, at: now, reason: "the account was deleted")
        }
        throw .invalidToken("the account was deleted: sign in again")
    }
}
