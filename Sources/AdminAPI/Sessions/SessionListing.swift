public import IdentityProvider
public import Time

/// The sessions of one issuer, for the admin API.
public protocol SessionListing: Sendable {
    /// - Returns: nil if it does not exist, was ended or has expired.
    func session(_ sessionID: String, at now: UnixTime) async throws(IssuingError) -> IssuerSession?

    func sessions(ofSubject subject: String, at now: UnixTime) async throws(IssuingError) -> [IssuerSession]

    /// Ends a session, known or not, and refuses its access tokens.
    func end(sessionID: String, at now: UnixTime, reason: String) async throws(IssuingError)

    /// Ends a subject's sessions that began before `time`, and refuses access tokens from before it.
    func endAll(
        ofSubject subject: String,
        before time: UnixTime,
        at now: UnixTime,
        reason: String
    ) async throws(IssuingError)
}

extension SessionService: SessionListing {}
