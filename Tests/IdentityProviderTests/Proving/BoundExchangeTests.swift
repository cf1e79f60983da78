import Store
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Apps that sign in with a proof: their tokens are bound to its key.
struct BoundExchangeTests {
    private static let start = ExchangeFixture.start
    private let fixture: ExchangeFixture
    private let key: ProofKey

    init() throws {
        fixture = try ExchangeFixture(proof: ProofRules(need: .optional))
        fixture.checks.issueApple("apple-token")
        fixture.checks.issueGoogle("id:google-token")
        key = try ProofKey()
    }

    private static let url = "https://chat.localtest/api/auth"

    private func exchange(
        _ endpoint: Endpoint,
        _ body: JSONObject,
        proofs: [String],
        at now: UnixTime = start
    ) async -> EndpointResult {
        await fixture.exchange.respond(
            to:
                EndpointRequest(
                    endpoint: endpoint,
                    method: "POST",
                    path: "/api/auth",
                    authority: "chat.localtest",
                    fields: EndpointRequest.Fields(contentType: "application/json", proofs: proofs),
                    body: JSONWriter.bytes(of: body),
                    now: now
                )
        )
    }

    private func refresh(
        _ token: String,
        proofs: [String],
        cookie: Bool = false,
        at now: UnixTime = start + 1
    ) async -> EndpointResult {
        let body: JSONObject = ["refresh_token": .string(token)]
        return await fixture.own.respond(
            to:
                EndpointRequest(
                    endpoint: .sessionRefresh,
                    method: "POST",
                    path: "/api/auth",
                    authority: "chat.localtest",
                    fields: EndpointRequest.Fields(
                        contentType: cookie ? nil : "application/json",
                        cookies: cookie ? ["ce_refresh_token=\(token)"] : [],
                        proofs: proofs
                    ),
                    body: cookie ? [] : JSONWriter.bytes(of: body),
                    now: now
                )
        )
    }

    private func proof(_ key: ProofKey? = nil, at now: UnixTime = start) throws -> String {
        try (key ?? self.key).proof("POST", Self.url, at: now)
    }

    private func keyName(_ answer: EndpointResult) throws -> String? {
        try TokenResponse.claims(of: try answer.object.text("access_token"))["cnf"]?.object?["jkt"]?.string
    }

    private static let bodies: [(endpoint: Endpoint, body: JSONObject)] = [
        (.appleExchange, ["identity_token": "apple-token", "nonce": "n-1"]),
        (.googleExchange, ["id_token": "google-token"]),
    ]

    @Test func proofBindsSession() async throws {
        for (endpoint, body) in Self.bodies {
            let answer = await exchange(endpoint, body, proofs: [try proof()])
            #expect(try answer.object["token_type"] == "DPoP")
            #expect(try keyName(answer) == key.name)
            let token = try answer.object.text("refresh_token")
            let thief = try ProofKey()
            for proofs in [[], [try proof(thief)]] {
                #expect(await refresh(token, proofs: proofs).refusal?.code == .invalidToken)
            }
            let next = await refresh(token, proofs: [try proof()])
            #expect(try keyName(next) == key.name)
            #expect(try next.object["token_type"] == "DPoP")
        }
    }

    @Test func withoutProofSessionIsUnbound() async throws {
        let answer = await exchange(.appleExchange, Self.bodies[0].body, proofs: [])
        #expect(try answer.object["token_type"] == "bearer")
        #expect(try keyName(answer) == nil)
        let next = await refresh(try answer.object.text("refresh_token"), proofs: [])
        #expect(try next.object["token_type"] == "bearer")
    }

    @Test func invalidProofBeginsNoSession() async throws {
        for (endpoint, body) in Self.bodies {
            for proofs in [["proof"], [try proof(), try proof()], [try key.proof("GET", Self.url)]] {
                let refused = try #require(await exchange(endpoint, body, proofs: proofs).refusal)
                #expect(refused.status == 401 && refused.code == .invalidToken)
                #expect(refused.fields.proofError == "invalid_dpop_proof")
            }
            // The provider's token is not spent.
            #expect(try keyName(await exchange(endpoint, body, proofs: [try proof()])) == key.name)
        }
    }

    @Test func retryNeedsSameKey() async throws {
        let body = Self.bodies[0].body
        let first = await exchange(.appleExchange, body, proofs: [try proof()])
        let again = await exchange(.appleExchange, body, proofs: [try proof(at: Self.start + 1)], at: Self.start + 1)
        #expect(try again.object == first.object)
        for proofs in [[], [try proof(try ProofKey())]] {
            let refused = try #require(await exchange(.appleExchange, body, proofs: proofs).refusal)
            #expect(refused.status == 401 && refused.code == .invalidToken)
        }
        fixture.checks.issueApple("apple-token-2")
        let other: JSONObject = ["identity_token": "apple-token-2", "nonce": "n-2"]
        #expect(try keyName(await exchange(.appleExchange, other, proofs: [])) == nil)
        #expect(await exchange(.appleExchange, other, proofs: [try proof()]).refusal?.code == .invalidToken)
    }

    /// Browsers prove nothing with cookies: their tokens are unbound, and bound tokens in cookies are refused.
    @Test func cookieSessionsAreNeverBound() async throws {
        let bearer = await exchange(.appleExchange, Self.bodies[0].body, proofs: [])
        let next = await refresh(try bearer.object.text("refresh_token"), proofs: [try proof()], cookie: true)
        #expect(try keyName(next) == nil)
        let bound = await exchange(.googleExchange, Self.bodies[1].body, proofs: [try proof()])
        let token = try bound.object.text("refresh_token")
        #expect(await refresh(token, proofs: [try proof()], cookie: true).refusal?.code == .invalidToken)
        #expect(try keyName(await refresh(token, proofs: [try proof()])) == key.name)
    }

    @Test func sealedSessionRoundTrips() throws {
        for thumbprint in [nil, key.thumbprint] {
            let session = OpenedSession(
                sessionID: "s",
                subject: "alice",
                body: ["token": "secret"],
                keyThumbprint: thumbprint
            )
            let sealed = try #require(session.sealed(with: "apple-token", tenant: "chat"))
            #expect(OpenedSession(sealed: sealed, with: "apple-token", tenant: "chat") == session)
        }
    }
}
