import Foundation
import Store
import Testing
import Time
import Verification

/// Key-bound sessions: without a proof there are no new tokens, and new tokens are never bound to another key.
@Suite struct BoundRefreshTests {
    private static let url = "http://app.test/x"
    private static let setup = GatewaySetup.refreshing("grace: 1h", tenant: "dpop: {}")

    private func session(_ fixture: GatewayFixture, _ client: ProvingClient, next: JSONObject, old: JSONObject = [:])
        throws
        -> SampleSession
    {
        var claims: JSONObject = ["cnf": client.confirmation]
        for claim in old.members { claims[claim.name] = claim.value }
        return try fixture.session(claims, next: next)
    }

    @Test func expiredBoundTokenRequiresProof() async throws {
        try await withStub(Self.setup) { fixture, stub async throws in
            let client = try ProvingClient()
            let past: JSONObject = ["exp": TestIssuer.fromNow(-300)]
            let session = try session(fixture, client, next: ["cnf": client.confirmation], old: past)
            stub.give(token: session.new)
            let thief = try ProvingClient()
            for fields in [["Authorization: DPoP \(session.old)"], try thief.fields(session.old, Self.url)] {
                let stolen = try await fixture.request("/x", fields: fields)
                expectRefusal(stolen, 401, "invalid_token")
                #expect(stolen.fields["X-Refreshed-Token"].isEmpty)
            }
            expectRefusal(try await fixture.request("/x", token: session.old), 401, "invalid_token")
            #expect(fixture.refreshCalls.isEmpty)
            let honest = try await fixture.request("/x", fields: try client.fields(session.old, Self.url))
            #expect(honest.status == 200)
            #expect(honest.fields["X-Refreshed-Token"] == [session.new])
            #expect(fixture.visits(session) == ["POST /auth/refresh old", "GET /x new"])
        }
    }

    @Test func unauthorizedBoundTokenIsReplayedWithoutAnotherProof() async throws {
        try await withStub(Self.setup) { fixture, stub async throws in
            let client = try ProvingClient()
            let session = try session(fixture, client, next: ["cnf": client.confirmation])
            stub.end(session.old)
            stub.give(token: session.new)
            let response = try await fixture.request("/x", fields: try client.fields(session.old, Self.url))
            #expect(response.status == 200)
            #expect(fixture.visits(session) == ["GET /x old", "POST /auth/refresh old", "GET /x new"])
            #expect(fixture.backend.requests.last?.fields["Authorization"] == ["DPoP \(session.new)"])
        }
    }

    /// A nonce close to its end is replaced on any response.
    @Test(arguments: [true, false])
    func nextNonceIsOffered(isRenewed: Bool) async throws {
        let key = GatewaySetup.sampleSealingKey
        var setup = GatewaySetup.refreshing(tenant: "dpop: { nonce: true }")
        setup.sealingKeys = key
        let nonces = ProofNonces(key: try SealingKeys(key).derivedKey(for: "proof nonces"))
        try await withStub(setup) { fixture, stub async throws in
            let client = try ProvingClient()
            let session = try session(fixture, client, next: ["cnf": client.confirmation])
            stub.end(session.old)
            if isRenewed {
                stub.give(token: session.new)
            } else {
                stub.give(["error": "invalid_grant"], status: 400)
            }
            // Made here, as the wait for the gateway may be long.
            let aging = nonces.make(at: UnixTime(Date().timeIntervalSince1970) - 200)
            let fields = try client.fields(session.old, Self.url, nonce: aging)
            let response = try await fixture.request("/x", fields: fields)
            #expect(response.status == (isRenewed ? 200 : 401))
            #expect(response.fields["X-Refreshed-Token"] == (isRenewed ? [session.new] : []))
            #expect(response.fields["DPoP-Nonce"].count == 1)
        }
    }

    /// Two tokens of one session; the new one is bound to the first one's key, and the second is merely expired.
    @Test func resultForAnotherTokenOfSessionRevokesNothing() async throws {
        let setup = GatewaySetup.refreshing("grace: 1h", tenant: "dpop: { need: optional }")
        try await withStub(setup) { fixture, stub async throws in
            let client = try ProvingClient()
            let past: JSONObject = ["exp": TestIssuer.fromNow(-300)]
            let session = try session(fixture, client, next: ["cnf": client.confirmation], old: past)
            stub.give(token: session.new)
            let bound = try await fixture.request("/x", fields: try client.fields(session.old, Self.url))
            #expect(bound.fields["X-Refreshed-Token"] == [session.new])
            // Issued before the new one: a later token would belong to a session that continued elsewhere.
            let plain = try fixture.token([
                "jti": "plain", "sid": "s1", "iat": TestIssuer.fromNow(-400), "exp": TestIssuer.fromNow(-300),
            ])
            let other = try await fixture.request("/x", token: plain)
            expectRefusal(other, 401, "token_expired")
            #expect(other.fields["X-Refreshed-Token"].isEmpty)
        }
    }

    /// Bound to another key or to none.
    @Test(arguments: [false, true])
    func tokenBoundToAnotherKeyIsNotDelivered(isBound: Bool) async throws {
        try await withStub(Self.setup) { fixture, stub async throws in
            let client = try ProvingClient()
            let next: JSONObject = isBound ? ["cnf": try ProvingClient().confirmation] : [:]
            let session = try session(fixture, client, next: next)
            stub.end(session.old)
            stub.give(token: session.new)
            let response = try await fixture.request("/x", fields: try client.fields(session.old, Self.url))
            #expect(response.status == 401)
            #expect(response.fields["X-Refreshed-Token"].isEmpty)
            #expect(!fixture.visits(session).contains("GET /x new"))
        }
    }
}
