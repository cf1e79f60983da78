public import IdentityProvider
public import Time

/// The sessions of one issuer, as the admin API looks at them and ends them.
public protocol SessionListing: Sendable {
    /// - Returns: Nil for one that is not there, was ended or has expired.
    func session(_ sessionID: String, at now: UnixTime) async throws(IssuingError) -> IssuerSession?

    func sessions(ofSubject subject: String, at now: UnixTime) async throws(IssuingError) -> [IssuerSession]

    /// Ends a session, known or not, and refuses its access tokens.
    func end(sessionID: String, at now: UnixTime, reason: String) async throws(IssuingError)

    /// Ends a subject's sessions that began before `time`, and refuses the access tokens of before.
    func endAll(
        ofSubject subject: String,
        before time: UnixTime,
        at now: UnixTime,
        reason: String
    ) async throws(IssuingError)
}

extension SessionService: SessionListing {}
