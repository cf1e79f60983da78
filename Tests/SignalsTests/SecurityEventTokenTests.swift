import Testing
import Time
import Verification

@testable import Signals

struct SecurityEventTokenTests {
    private static let caep = "https://schemas.openid.net/secevent/caep/event-type/"
    private static let risc = "https://schemas.openid.net/secevent/risc/event-type/"

    private static func read(_ changes: KeyValuePairs<String, JSONValue> = [:]) throws -> SecurityEventToken {
        let claims = SignalSample.claims(changes, of: .securityEvent)
        return try SecurityEventToken(try SignalSample.principal(claims, type: "secevent+jwt"), at: SignalSample.now)
    }

    @Test func eventHasItsSubjectFromTheToken() throws {
        let event = try #require(try Self.read().events.first)
        #expect(event.type == .sessionRevoked)
        #expect(event.subject == .issuerAndSubject(issuer: SignalSample.issuer, subject: "alice"))
        #expect(event.happenedAt == SignalSample.now - 10)
    }

    @Test func googlesEventsHaveTheirSubjectInside() throws {
        let token = try Self.read([
            "sub_id": .null,
            "events": [
                "https://schemas.openid.net/secevent/risc/event-type/account-disabled": [
                    "subject": ["subject_type": "iss-sub", "iss": "https://accounts.google.com", "sub": "g-1"],
                    "reason": "hijacking",
                ]
            ],
        ])
        let event = try #require(token.events.first)
        #expect(event.type == .accountDisabled)
        #expect(event.subject == .issuerAndSubject(issuer: "https://accounts.google.com", subject: "g-1"))
    }

    @Test func timeOfTheEventCountsBeforeThatOfTheToken() throws {
        let time = JSONValue.number(JSONNumber(Int(SignalSample.now.seconds) - 500))
        let inside = try Self.read(["events": [Self.caep + "credential-change": ["event_timestamp": time]]])
        #expect(inside.events.map(\.happenedAt) == [SignalSample.now - 500])
        let outside = try Self.read(["toe": time])
        #expect(outside.events.map(\.happenedAt) == [SignalSample.now - 500])
        let future = try Self.read(["toe": 1_900_000_000])
        #expect(future.events.map(\.happenedAt) == [SignalSample.now])
    }

    private static let bad: [(String, JSONValue, SignalProblem)] = [
        ("jti", JSONValue.null, SignalProblem.missing("jti")),
        ("iat", .null, .missing("iat")),
        ("iat", 1_799_000_000, .tooOld),
        ("events", .null, .missing("events")),
        ("events", [:], .badEvents),
        ("events", ["https://schemas.openid.net/secevent/caep/event-type/session-revoked": 1], .badEvents),
        ("sub_id", "alice", .badSubject(.noFormat)),
        ("sub_id", ["format": "iss_sub", "iss": "i"], .badSubject(.badMember("sub"))),
        ("sub_id", ["format": 1], .badSubject(.noFormat)),
        ("sub_id", [:], .badSubject(.noFormat)),
        ("sub_id", ["format": "aliases", "identifiers": []], .badSubject(.badAliases)),
    ]

    @Test(arguments: bad)
    func tokenWithoutWhatAnEventNeedsIsRefused(_ claim: String, _ value: JSONValue, _ problem: SignalProblem) throws {
        #expect(throws: problem) { try Self.read([claim: value]) }
    }

    @Test func eventsOfOneTokenAreBounded() throws {
        var events = JSONObject()
        for number in 0...16 { events["https://event.test/\(number)"] = [:] }
        #expect(throws: SignalProblem.badEvents) { try Self.read(["events": .object(events)]) }
        events["https://event.test/0"] = JSONValue?.none
        #expect(try Self.read(["events": .object(events)]).events.count == 16)
    }

    private static let names: [(String, SecurityEventType, Bool)] = [
        (caep + "session-revoked", SecurityEventType.sessionRevoked, true),
        (caep + "credential-change", .credentialChange, true),
        (caep + "device-compliance-change", .deviceComplianceChange, false),
        (risc + "sessions-revoked", .sessionsRevoked, true),
        (risc + "account-enabled", .accountEnabled, false),
        (risc + "verification", .verification, false),
        ("https://schemas.openid.net/secevent/ssf/event-type/verification", .verification, false),
        ("https://schemas.openid.net/secevent/oauth/event-type/token-revoked", .tokenRevoked, false),
        ("https://schemas.openid.net/secevent/other/event-type/session-revoked", .other, false),
        ("https://evil.test/secevent/caep/event-type/session-revoked", .other, false),
        (caep, .other, false), (caep + "session-revoked/x", .other, false), ("", .other, false),
    ]

    @Test(arguments: names)
    func eventsAreKnownByTheirNames(_ uri: String, _ type: SecurityEventType, _ ends: Bool) {
        #expect(SecurityEventType(uri: uri) == type)
        #expect(type.endsSessions == ends)
    }
}
