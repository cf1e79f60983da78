import Store
import Tenants
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Tokens that are bound to the key of a proof, from the code to the refresh (RFC 9449 sections 5 and 10).
struct BoundTokenGrantTests {
    private let start = IssuerFixture.start
    private let fixture: IssuerFixture
    private let key: ProofKey
    private let app: ProvingApp
    /// The same client with another key, and without one.
    private let thief: ProvingApp
    private let keyless: ProvingApp

    init() throws {
        fixture = try .proving()
        key = try ProofKey()
        app = ProvingApp(fixture: fixture, key: key)
        thief = ProvingApp(fixture: fixture, key: try ProofKey())
        keyless = ProvingApp(fixture: fixture)
    }

    @Test func proofBindsTokens() async throws {
        let tokens = try await app.signIn()
        #expect(tokens.type == "DPoP")
        #expect(tokens.keyName == key.name)
        #expect(try TokenResponse.claims(of: tokens.id)["cnf"] == nil)
        let status = try await fixture.post(.introspect, [("token", tokens.access)] + IssuerClient.board.credentials)
        #expect(try status.object["token_type"] == "DPoP")
        #expect(try status.object["cnf"]?.object?["jkt"] == .string(key.name))
        let refresh = try await fixture.post(.introspect, [("token", tokens.refresh)] + IssuerClient.board.credentials)
        #expect(try refresh.object["cnf"]?.object?["jkt"] == .string(key.name))
    }

    @Test func withoutProofTokensAreBearer() async throws {
        let tokens = try await keyless.signIn()
        #expect(tokens.type == "Bearer" && tokens.claims["cnf"] == nil)
        let status = try await fixture.post(.introspect, [("token", tokens.access)] + IssuerClient.board.credentials)
        #expect(try status.object["token_type"] == "Bearer")
        #expect(try status.object["cnf"] == nil)
    }

    @Test func tenantWithoutDPoPIgnoresProofs() async throws {
        let plain = ProvingApp(fixture: try IssuerFixture(), key: key)
        #expect(try await plain.signIn().type == "Bearer")
        let code = try await plain.fixture.code()
        let answer = try await plain.ask(plain.fixture.redemption(code), proofs: ["no proof", "at all"])
        #expect(try TokenResponse(answer).claims["cnf"] == nil)
    }

    // MARK: Refreshing

    /// RFC 9449 section 5: a public client's refresh token needs its key. A thief can neither spend it nor end the session.
    @Test func stolenRefreshTokenIsRefusedWithoutEndingSession() async throws {
        let tokens = try await app.signIn()
        for other in [thief, keyless] {
            #expect(try await other.refresh(tokens.refresh, at: start + 1).outcome == "400 invalid_grant")
        }
        let next = try TokenResponse(try await app.refresh(tokens.refresh, at: start + 2))
        #expect(next.type == "DPoP" && next.keyName == key.name)
        // Reuse would end the session, but only with the key.
        for other in [thief, keyless] {
            #expect(try await other.refresh(tokens.refresh, at: start + 90).outcome == "400 invalid_grant")
        }
        let third = try TokenResponse(try await app.refresh(next.refresh, at: start + 91))
        #expect(try await app.refresh(tokens.refresh, at: start + 180).outcome == "400 invalid_grant")
        #expect(try await app.refresh(third.refresh, at: start + 181).outcome == "400 invalid_grant")
    }

    @Test func lostResponseIsRepeatedForSameKeyOnly() async throws {
        let tokens = try await app.signIn()
        let next = try TokenResponse(try await app.refresh(tokens.refresh, at: start + 1))
        #expect(try await thief.refresh(tokens.refresh, at: start + 2).outcome == "400 invalid_grant")
        let again = try TokenResponse(try await app.refresh(tokens.refresh, at: start + 3))
        #expect(again.refresh == next.refresh && again.keyName == key.name && again.type == "DPoP")
    }

    /// The refresh token issued with a bound access token is bound too.
    @Test func unboundSessionIsBoundByFirstProof() async throws {
        let tokens = try await keyless.signIn()
        let next = try TokenResponse(try await app.refresh(tokens.refresh, at: start + 1))
        #expect(next.keyName == key.name)
        for other in [thief, keyless] {
            #expect(try await other.refresh(next.refresh, at: start + 2).outcome == "400 invalid_grant")
        }
        #expect(try TokenResponse(try await app.refresh(next.refresh, at: start + 3)).keyName == key.name)
    }

    /// Its refresh tokens are protected by its secret, not by a key.
    @Test func confidentialClientMayChangeKey() async throws {
        let board = ProvingApp(fixture: fixture, client: .board, key: key)
        let tokens = try await board.signIn()
        #expect(tokens.keyName == key.name)
        let other = try ProofKey()
        let changed = ProvingApp(fixture: fixture, client: .board, key: other)
        let next = try TokenResponse(try await changed.refresh(tokens.refresh, at: start + 1))
        #expect(next.type == "DPoP" && next.keyName == other.name)
        let bare = ProvingApp(fixture: fixture, client: .board)
        let last = try TokenResponse(try await bare.refresh(next.refresh, at: start + 2))
        #expect(last.type == "Bearer" && last.keyName == nil)
    }

    @Test func clientThatMustBindGetsNoUnboundTokens() async throws {
        var client = IssuerClient.mobile
        client.needsProof = true
        let fixture = try IssuerFixture.proving(clients: [client])
        let bare = ProvingApp(fixture: fixture, client: client)
        let code = try await fixture.code(for: client)
        #expect(try await bare.ask(fixture.redemption(code, client)).outcome == "400 invalid_request")
        let app = ProvingApp(fixture: fixture, client: client, key: key)
        let tokens = try TokenResponse(try await app.ask(fixture.redemption(code, client)))
        #expect(try await bare.refresh(tokens.refresh, at: start + 1).outcome == "400 invalid_request")
        #expect(try TokenResponse(try await app.refresh(tokens.refresh, at: start + 2)).keyName == key.name)
    }

    // MARK: Codes

    /// RFC 9449 section 10: presented without its key, the code is stolen and becomes invalid.
    @Test func boundCodeIsForItsKeyOnly() async throws {
        #expect(try await app.signIn(boundTo: key.thumbprint).keyName == key.name)
        for other in [thief, keyless] {
            let code = try await fixture.code(boundTo: key.thumbprint)
            #expect(try await other.ask(fixture.redemption(code)).outcome == "400 invalid_grant")
            #expect(try await app.ask(fixture.redemption(code)).outcome == "400 invalid_grant")
        }
    }

    @Test func proofDoesNotReplaceVerifier() async throws {
        let code = try await fixture.code(boundTo: key.thumbprint)
        var form = fixture.redemption(code)
        form.removeAll { $0.name == "code_verifier" }
        form.append(("code_verifier", String(repeating: "guess", count: 10)))
        #expect(try await app.ask(form).outcome == "400 invalid_grant")
    }

    // MARK: Certificates

    /// RFC 8705 sections 3 and 4.
    @Test func certificateBindsLikeKey() async throws {
        var mobile = IssuerClient.mobile
        mobile.bindsToCertificate = true
        let fixture = try IssuerFixture.proving(clients: [mobile])
        let certificate = SHA256.digest(Array("certificate".utf8))
        let app = ProvingApp(fixture: fixture, client: mobile, certificate: certificate)
        let tokens = try await app.signIn()
        #expect(tokens.type == "Bearer")
        #expect(tokens.claims["cnf"] == .object(["x5t#S256": .string(Base64URL.encode(certificate))]))
        let bare = ProvingApp(fixture: fixture, client: mobile)
        let other = ProvingApp(fixture: fixture, client: mobile, certificate: SHA256.digest([1]))
        #expect(try await bare.refresh(tokens.refresh).outcome == "400 invalid_request")
        #expect(try await other.refresh(tokens.refresh).outcome == "400 invalid_grant")
        let code = try await fixture.code(for: mobile)
        #expect(try await bare.ask(fixture.redemption(code, mobile)).outcome == "400 invalid_request")
        let both = ProvingApp(fixture: fixture, client: mobile, key: key, certificate: certificate)
        let next = try TokenResponse(try await both.refresh(tokens.refresh, at: start + 1))
        #expect(next.type == "DPoP")
        #expect(next.claims["cnf"]?.object?.members.map(\.name).sorted() == ["jkt", "x5t#S256"])
        // From now on it is bound to both.
        #expect(try await app.refresh(next.refresh, at: start + 2).outcome == "400 invalid_grant")
    }

    // MARK: Discovery

    @Test func discoveryListsBindingSupport() async throws {
        let name = "dpop_signing_alg_values_supported"
        let certificates = "tls_client_certificate_bound_access_tokens"
        let bound = try await fixture.get(.discovery).object
        #expect(bound[name] == ["ES256", "EdDSA"] && bound[certificates] == nil)
        let plain = try await IssuerFixture().get(.discovery).object
        #expect(plain[name] == nil)
        var client = IssuerClient.mobile
        client.bindsToCertificate = true
        let fixture = try IssuerFixture("clans", issuer: .clans(clients: [client]))
        #expect(try await fixture.get(.discovery).object[certificates] == true)
    }

    // MARK: Failures

    /// Replays cannot be detected without the store.
    @Test func storeFailureDoesNotSpendCode() async throws {
        let code = try await fixture.code()
        fixture.store.fail([.replace])
        let answer = try await app.ask(fixture.redemption(code))
        #expect(answer.outcome == "503 temporarily_unavailable")
        fixture.store.onCall(nil)
        #expect(try TokenResponse(try await app.ask(fixture.redemption(code))).keyName == key.name)
    }
}
