public import Time
public import Verification

/// What a verified security event token says (RFC 8417 section 2.2).
public struct SecurityEventToken: Sendable, Equatable {
    public struct Event: Sendable, Equatable {
        public let type: SecurityEventType
        /// Nil if the token names none: streams have events about themselves.
        public let subject: SubjectIdentifier?
        /// Never in the future.
        public let happenedAt: UnixTime
    }

    /// The most events of one token.
    public static let mostEvents = 16

    public let issuer: String
    public let tokenID: String
    public let issuedAt: UnixTime
    /// In the token's order; at least one.
    public let events: [Event]

    /// Checks the claims of a token whose signature, `iss`, `aud` and `iat` are good.
    ///
    /// - Parameter principal: Verified as a token with the purpose ``TokenPurpose/securityEvent``.
    public init(_ principal: Principal, at now: UnixTime) throws(SignalProblem) {
        guard let issuedAt = principal.issuedAt else { throw .missing("iat") }
        guard let tokenID = principal.tokenID else { throw .missing("jti") }
        guard tokenID.utf8.count <= SubjectIdentifier.longestText else { throw .unusable("jti") }
        guard TokenAge.isWithin(TokenAge.longestOfSecurityEvent, issuedAt: issuedAt, now: now) else { throw .tooOld }
        guard let members = principal.claims["events"]?.object?.members else { throw .missing("events") }
        guard (1...Self.mostEvents).contains(members.count) else { throw .badEvents }
        let shared = try Self.sharedSubject(principal)
        let occurred = principal.claims["toe"]?.double
        var events: [Event] = []
        for member in members {
            guard let payload = member.value.object else { throw .badEvents }
            events.append(
                Event(
                    type: SecurityEventType(uri: member.name),
                    subject: try Self.subject(payload["subject"]) ?? shared,
                    happenedAt: EventTime.bounded(
                        payload["event_timestamp"]?.double ?? occurred,
                        issuedAt: issuedAt,
                        now: now
                    )
                )
            )
        }
        issuer = principal.issuer
        self.tokenID = tokenID
        self.issuedAt = issuedAt
        self.events = events
    }

    /// `sub_id` (RFC 9493 section 4.1); without it `sub`, which belongs to the token's issuer.
    private static func sharedSubject(_ principal: Principal) throws(SignalProblem) -> SubjectIdentifier? {
        if let subject = try subject(principal.claims["sub_id"]) { return subject }
        guard let subject = principal.subject else { return nil }
        guard (1...SubjectIdentifier.longestText).contains(subject.utf8.count) else { throw .unusable("sub") }
        return .issuerAndSubject(issuer: principal.issuer, subject: subject)
    }

    private static func subject(_ value: JSONValue?) throws(SignalProblem) -> SubjectIdentifier? {
        guard let value else { return nil }
        guard let object = value.object else { throw .badSubject(.noFormat) }
        do throws(SubjectProblem) {
            return try SubjectIdentifier(object)
        } catch {
            throw .badSubject(error)
        }
    }
}
