import Store
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import SignalReceiver
@testable import Tenants

struct SecurityEventPushTests {
    private static let caep = "https://schemas.openid.net/secevent/caep/event-type/"
    private static let risc = "https://schemas.openid.net/secevent/risc/event-type/"

    private static func code(_ response: EndpointResponse) throws -> String? {
        try #require(JSONParser.parse(response.body).object)["err"]?.string
    }

    @Test(arguments: [
        caep + "session-revoked", caep + "credential-change", risc + "sessions-revoked", risc + "account-disabled",
        risc + "account-purged", risc + "account-credential-change-required",
    ]) func eventThatEndsSessionsIsOneRevocation(_ uri: String) async throws {
        let fixture = try SignalFixture()
        let response = try await fixture.push(try fixture.event(uri))
        #expect(response.status == 202)
        #expect(response.body.isEmpty)
        #expect(fixture.revoked == [.subject("alice")])
    }

    @Test(arguments: [
        caep + "token-claims-change", caep + "assurance-level-change", caep + "device-compliance-change",
        risc + "account-enabled", risc + "verification", "https://event.test/unheard-of",
        "https://schemas.openid.net/secevent/ssf/event-type/verification",
    ]) func otherEventsAreAcknowledged(_ uri: String) async throws {
        let fixture = try SignalFixture()
        #expect(try await fixture.push(try fixture.event(uri, ["sub_id": .null])).status == 202)
        #expect(fixture.revoked.isEmpty)
        #expect(fixture.counts.snapshot().signals.keys.map(\.result) == [.acknowledged])
    }

    @Test func sessionOfAComplexSubjectIsRevokedAlone() async throws {
        let fixture = try SignalFixture()
        let subject: JSONValue = [
            "format": "complex", "user": ["format": "iss_sub", "iss": "https://id.test", "sub": "alice"],
            "session": ["format": "opaque", "id": "s1"],
        ]
        #expect(
            try await fixture.push(try fixture.event(Self.caep + "session-revoked", ["sub_id": subject])).status == 202
        )
        #expect(fixture.revoked == [.session("s1")])
    }

    @Test func repeatedEventIsAcknowledgedWithoutEffect() async throws {
        let fixture = try SignalFixture()
        let event = try fixture.event()
        for _ in 0..<3 { #expect(try await fixture.push(event).status == 202) }
        #expect(fixture.revoked.count == 1)
        let results = fixture.counts.snapshot().signals
        #expect(results.first { $0.key.result == .repeated }?.value == 2)
    }

    @Test func timeOfTheRevocationIsBounded() async throws {
        for (time, expected) in [(3600, 0.0), (-60, -60.25), (-90 * 86_400, -7 * 86_400 - 10.25)] {
            let fixture = try SignalFixture()
            let toe = SignalFixture.time(time)
            #expect(
                try await fixture.push(try fixture.event(Self.caep + "session-revoked", ["toe": toe])).status == 202
            )
            #expect(fixture.revocations.all.map(\.revokedAt) == [SignalFixture.start + expected])
        }
    }

    private static let hostile: [(KeyValuePairs<String, JSONValue>, String)] = [
        (["aud": "other"], "invalid_audience"), (["aud": .null], "invalid_audience"),
        (["iss": "https://evil.test"], "invalid_issuer"), (["jti": .null], "invalid_request"),
        (["iat": .null], "invalid_request"), (["events": .null], "invalid_request"),
        (["events": [:]], "invalid_request"),
        (["iat": SignalFixture.time(3600)], "invalid_request"),
        (["exp": SignalFixture.time(-600)], "invalid_request"),
        (["iat": SignalFixture.time(-8 * 86_400)], "invalid_request"), (["sub_id": []], "invalid_request"),
    ]

    @Test(arguments: hostile)
    func hostileEventIsRefusedWithItsCode(_ changes: KeyValuePairs<String, JSONValue>, _ code: String) async throws {
        let fixture = try SignalFixture()
        let response = try await fixture.push(try fixture.event(Self.caep + "session-revoked", changes))
        #expect(response.status == 400)
        #expect(try Self.code(response) == code)
        #expect(response.fields.contains(EndpointResponse.Field("Content-Language", "en")))
        #expect(fixture.revoked.isEmpty)
    }

    @Test func keyOfNobodyIsAnInvalidKey() async throws {
        let fixture = try SignalFixture()
        let claims = try UnverifiedToken(Array(try fixture.event().utf8)).claims()
        let stranger = try fixture.token(claims, type: "secevent+jwt", key: try SigningKey.generate(.p256))
        #expect(try Self.code(try await fixture.push(stranger)) == "invalid_key")
        let known = try fixture.token(
            claims,
            type: "secevent+jwt",
            key: try SigningKey.generate(.p256),
            keyID: fixture.key.thumbprint
        )
        #expect(try Self.code(try await fixture.push(known)) == "invalid_key")
        #expect(fixture.revoked.isEmpty)
    }

    @Test(arguments: [nil, "application/json", "text/plain"])
    func bodyOfAnotherKindIsRefused(_ contentType: String?) async throws {
        let fixture = try SignalFixture()
        #expect(try await fixture.push(try fixture.event(), contentType: contentType).status == 400)
    }

    @Test func issuerSpeaksOfItsOwnSubjectsOnly() async throws {
        let fixture = try SignalFixture()
        let others: JSONValue = ["format": "iss_sub", "iss": "https://chat.example", "sub": "account-1"]
        #expect(
            try await fixture.push(try fixture.event(Self.caep + "session-revoked", ["sub_id": others])).status == 202
        )
        #expect(fixture.revoked.isEmpty)
        #expect(fixture.counts.snapshot().signals.keys.map(\.result) == [.unknownSubject])
    }

    @Test func transmitterSpeaksOfTheTenantsOwnSubjectsToo() async throws {
        let fixture = try SignalFixture()
        let tokens = try await fixture.sessions.start(
            SessionOpening(subject: "account-1"),
            at: SignalFixture.start - 100
        )
        let event = try fixture.event(
            Self.caep + "credential-change",
            [
                "iss": .string(SignalFixture.hub), "aud": "shop-hub",
                "sub_id": ["format": "iss_sub", "iss": "https://chat.example", "sub": "account-1"],
            ]
        )
        #expect(try await fixture.push(event).status == 202)
        let refresh = try #require(tokens.refreshToken)
        await #expect(throws: IssuingError.self) {
            try await fixture.sessions.refresh(refresh, at: SignalFixture.start + 1)
        }
    }

    @Test func transmitterWithABearerNeedsIt() async throws {
        let fixture = try SignalFixture(bearer: Secret("0123456789abcdef"))
        let event = try fixture.event(
            Self.caep + "session-revoked",
            ["iss": .string(SignalFixture.hub), "aud": "shop-hub"]
        )
        for authorization in [nil, "Bearer 0123456789abcdeF", "Bearer", "0123456789abcdef", "Basic 0123456789abcdef"] {
            let response = try await fixture.push(event, authorization: authorization)
            #expect(try Self.code(response) == "authentication_failed")
        }
        #expect(fixture.revoked.isEmpty)
        #expect(try await fixture.push(event, authorization: "bearer 0123456789abcdef").status == 202)
        #expect(fixture.revoked == [.subject("alice")])
    }

    /// Its events must not be taken without the secret because its access tokens are trusted.
    @Test func issuerThatIsATransmitterTooNeedsItsBearer() async throws {
        let fixture = try SignalFixture(hub: SignalFixture.issuer, bearer: Secret("0123456789abcdef"))
        let event = try fixture.event()
        #expect(try Self.code(try await fixture.push(event)) == "authentication_failed")
        #expect(fixture.revoked.isEmpty)
        #expect(try await fixture.push(event, authorization: "Bearer 0123456789abcdef").status == 202)
        #expect(fixture.revoked == [.subject("alice")])
    }

    @Test func eventThatIsNotStoredIsToBeSentAgain() async throws {
        let store = WatchedStore()
        let fixture = try SignalFixture(store: store)
        let event = try fixture.event()
        for call in [WatchedStore.Call.value, .revoke, .replace] {
            store.fail([call])
            let response = try await fixture.push(event)
            #expect(response.status == 503, "\(call)")
            #expect(response.fields.contains { $0.name == "Retry-After" })
        }
        store.onCall(nil)
        #expect(try await fixture.push(event).status == 202)
    }

    @Test func floodFromOneAddressIsLimitedBeforeSignaturesAreChecked() async throws {
        let fixture = try SignalFixture()
        let request = EndpointRequest(
            endpoint: .signals,
            method: "POST",
            authority: "chat.localtest",
            body: Array("x".utf8),
            clientAddress: [192, 0, 2, 1],
            now: SignalFixture.start
        )
        for _ in 0..<AttemptLimit.signals.burst { _ = await fixture.endpoints.respond(to: request) }
        #expect(await fixture.endpoints.respond(to: request).refusal?.status == 429)
    }
}
