import Time
import Verification

extension AppleEvent {
    /// Older events are refused: events have no `exp`, so a leaked one would otherwise be valid forever.
    private static let longestAge = 86_400.0
    /// The year 5138 in seconds: later values are milliseconds.
    private static let earliestMilliseconds = 1e11
    private static let longestName = 64

    /// Reads the claims of an event that Apple has signed.
    ///
    /// - Throws: 401 for an event that is stale or lacks an identifier; 400 for one that cannot be parsed.
    init(_ principal: Principal, at now: UnixTime) throws(EndpointRefusal) {
        let noun = ProviderTokenKind.appleNotification.noun
        guard let issuedAt = principal.issuedAt, principal.tokenID != nil else {
            throw .invalidToken("\(noun) is refused: iat and jti are required")
        }
        guard now - issuedAt <= Self.longestAge else {
            throw .invalidToken("\(noun) is refused: it was issued more than 24 hours ago")
        }
        guard let event = Self.object(principal.claims["events"]), let type = event["type"]?.string,
            PlainText.isVisible(type, longest: Self.longestName), let subject = event["sub"]?.string,
            ProviderIdentity.isSubject(subject)
        else { throw .badRequest("\(noun) cannot be read: its events have a type and a sub") }
        kind = Kind(type)
        self.subject = subject
        email = event["email"]?.string.flatMap { ProviderEmail.isValid($0) ? $0 : nil }
        isPrivateEmail = event["is_private_email"].map(ProviderIdentity.isTrue)
        happenedAt = min(now, Self.time(event["event_time"]) ?? issuedAt)
    }

    /// Apple writes the object as a string.
    private static func object(_ claim: JSONValue?) -> JSONObject? {
        switch claim {
        case .object(let object)?: object
        case .string(let text)?: (try? JSONParser.parse(Array(text.utf8)))?.object
        case .null?, .bool?, .number?, .array?, nil: nil
        }
    }

    /// Apple's guide uses seconds, but its servers send milliseconds too.
    private static func time(_ claim: JSONValue?) -> UnixTime? {
        guard let time = claim?.double, time > 0 else { return nil }
        return UnixTime(time < earliestMilliseconds ? time : time / 1000)
    }
}

extension AppleEvent.Kind {
    init(_ type: String) {
        self =
            switch type {
            case "email-disabled": .emailDisabled
            case "email-enabled": .emailEnabled
            case "consent-revoked": .consentRevoked
            // Apple's guide uses the first, its servers the second.
            case "account-delete", "account-deleted": .accountDeleted
            default: .other(type)
            }
    }
}
