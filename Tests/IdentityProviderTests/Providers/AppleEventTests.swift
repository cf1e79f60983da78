import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider

struct AppleEventTests {
    private static let now = SignedByProviders.now
    private static let subject: JSONValue = "001234.abcdef.0815"
    private static let revoked: JSONObject = ["type": "consent-revoked", "sub": subject, "event_time": 1_799_999_000]

    private func token(_ events: JSONValue, _ changes: JSONObject = [:]) throws -> String {
        let claims: JSONObject = [
            "iss": "https://appleid.apple.com", "aud": "org.example.driver", "iat": 1_799_999_990, "jti": "abede-67",
            "events": events,
        ]
        return try SignedByProviders.apple(claims.changed(changes))
    }

    private func body(_ token: String) -> [UInt8] { JSONWriter.bytes(of: ["payload": .string(token)] as JSONObject) }

    private func event(_ events: JSONValue, _ changes: JSONObject = [:]) async throws -> AppleEvent {
        try await ProviderChecks.example().appleEvent(body(token(events, changes)), at: Self.now)
    }

    private func refusal(_ body: [UInt8]) async throws -> EndpointRefusal {
        let checks = try ProviderChecks.example()
        return try await providerRefusal {
            try await checks.appleEvent(body, at: Self.now)
        }
    }

    private func text(_ object: JSONObject) -> JSONValue { .string(JSONWriter.text(of: .object(object))) }

    @Test func addressOfAnEventIsReadIfItIsOne() async throws {
        let disabled: JSONObject = [
            "type": "email-disabled", "sub": Self.subject, "event_time": 1_799_999_000,
            "email": "x1@privaterelay.appleid.com", "is_private_email": "true",
        ]
        let event = try await event(text(disabled))
        #expect(event.email == "x1@privaterelay.appleid.com" && event.isPrivateEmail == true)
        let odd = try await self.event(text(disabled.changed(["email": "a@b, c@d", "is_private_email": .null])))
        #expect(odd.email == nil && odd.isPrivateEmail == nil)
    }

    @Test func eventMayBeStringOrObject() async throws {
        let expected = AppleEvent(kind: .consentRevoked, subject: "001234.abcdef.0815", happenedAt: 1_799_999_000)
        #expect(try await event(text(Self.revoked)) == expected)
        #expect(try await event(.object(Self.revoked)) == expected)
        #expect(try await event(text(Self.revoked), ["aud": "org.example.web"]) == expected)
    }

    @Test(
        arguments: [
            ("consent-revoked", .consentRevoked), ("account-delete", .accountDeleted),
            ("account-deleted", .accountDeleted),
            ("email-disabled", .emailDisabled), ("email-enabled", .emailEnabled), ("moon-rise", .other("moon-rise")),
        ] as [(String, AppleEvent.Kind)]
    )
    func kindsAreReadByName(type: String, kind: AppleEvent.Kind) async throws {
        #expect(try await event(text(Self.revoked.changed(["type": .string(type)]))).kind == kind)
    }

    @Test(
        arguments: [
            (1_799_999_000, 1_799_999_000), (1_799_999_000_500, 1_799_999_000.5), (1_800_000_030, now),
            (9_999_999_999_999, now), (nil, 1_799_999_990), ("1799999000", 1_799_999_990), (0, 1_799_999_990),
            (-1, 1_799_999_990),
        ] as [(JSONValue, UnixTime)]
    )
    func eventTimeIsNeverInFuture(time: JSONValue, expected: UnixTime) async throws {
        #expect(try await event(text(Self.revoked.changed(["event_time": time]))).happenedAt == expected)
    }

    @Test func futureIssueTimeIsClampedToNow() async throws {
        let event = try await event(text(Self.revoked.changed(["event_time": nil])), ["iat": 1_800_000_050])
        #expect(event.happenedAt == Self.now)
    }

    @Test(
        arguments: [
            (["iat": 1_799_913_599], "it was issued more than 24 hours ago"),
            (["iat": 1_800_000_100], "the token was issued in the future"),
            (["iat": nil], "the claim iat is required and missing"),
            (["jti": nil], "the claim jti is required and missing"), (["jti": ""], "iat and jti are required"),
            (["aud": "org.example.other"], "its audience is no client of this tenant"),
            (["iss": "https://evil.example"], "the token's issuer is not trusted here"),
        ] as [(JSONObject, String)]
    )
    func invalidEventIsRefusedWithReason(changes: JSONObject, reason: String) async throws {
        let refusal = try await refusal(body(token(text(Self.revoked), changes)))
        #expect(refusal == .invalidToken("Apple's event is refused: \(reason)"))
    }

    @Test func eventOfLastDayIsAccepted() async throws {
        #expect(try await event(text(Self.revoked), ["iat": 1_799_913_600]).kind == .consentRevoked)
    }

    @Test func forgedEventIsRefused() async throws {
        let claims: JSONObject = [
            "iss": "https://appleid.apple.com", "aud": "org.example.driver", "iat": 1_799_999_990, "jti": "1",
            "events": text(Self.revoked),
        ]
        #expect(try await refusal(body(SignedByProviders.google(claims))).code == .invalidToken)
        #expect(try await refusal(body("a.b.c")).code == .invalidToken)
    }

    @Test(arguments: ["", "{", "[]", "{}", "null", #"{"payload":1}"#, #"{"payload":"a","payload":"b"}"#, #""a.b.c""#])
    func malformedBodyIsBadRequest(text: String) async throws {
        #expect(try await refusal(Array(text.utf8)) == .badRequest("the body is not {\"payload\": JWS}"))
    }

    @Test(
        arguments: [
            nil, 1, "", "{", "[]", "null", #"{"type":"consent-revoked"}"#, #"{"sub":"a"}"#, #"{"type":1,"sub":"a"}"#,
            #"{"type":"a","sub":1}"#, #"{"type":"a","sub":""}"#, #"{"type":"a\nb","sub":"a"}"#,
            #"{"type":"a","sub":"a\u000Ab"}"#, #"{"type":"a","sub":"a","sub":"b"}"#, [["type": "a", "sub": "b"]],
        ] as [JSONValue]
    )
    func malformedEventIsBadRequest(events: JSONValue) async throws {
        let refusal = try await refusal(body(token(events)))
        #expect(refusal == .badRequest("Apple's event cannot be read: its events have a type and a sub"))
    }

    /// Mutated signed events give a bounded event or a refusal.
    @Test func mutatedEventNeverTraps() async throws {
        var random = SplitMix64(seed: 0x6a77_6c65)
        let original = JSONWriter.bytes(of: Self.revoked)
        let checks = try ProviderChecks.example()
        var read = 0
        for _ in 0..<400 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0x20...0x7E, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert(UInt8.random(in: 0...0x7F, using: &random), at: index)
                }
            }
            let token = try token(.string(String(decoding: bytes, as: UTF8.self)))
            do throws(EndpointRefusal) {
                let event = try await checks.appleEvent(body(token), at: Self.now)
                #expect((1...255).contains(event.subject.utf8.count))
                #expect(event.happenedAt > 0 && event.happenedAt <= Self.now)
                read += 1
            } catch {
                #expect(error.code == .badRequest)
            }
        }
        #expect((1..<400).contains(read))
    }
}
