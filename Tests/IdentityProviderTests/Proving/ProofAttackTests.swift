import Store
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Invalid proofs at the token endpoint (RFC 9449 sections 4.3, 8 and 11).
struct ProofAttackTests {
    private static let start = IssuerFixture.start
    private static let url = "https://clans.example\(ProvingApp.tokenPath)"

    /// Ways to make a proof invalid.
    enum Trick: String, CaseIterable, Sendable {
        case otherMethod, otherEndpoint, otherHost, plainHTTP, tooOld, inTheFuture, withoutID, withoutTime, otherType
        case privateKey, notAllowedAlgorithm, otherSignature, keyOfAnother, noJWS, empty, twoInOne

        func proof(_ key: ProofKey) throws -> String {
            let url = ProofAttackTests.url
            switch self {
            case .otherMethod: return try key.proof("GET", url)
            case .otherEndpoint: return try key.proof("POST", "https://clans.example/id/userinfo")
            case .otherHost: return try key.proof("POST", "https://evil.example\(ProvingApp.tokenPath)")
            case .plainHTTP: return try key.proof("POST", "http://clans.example\(ProvingApp.tokenPath)")
            case .tooOld: return try key.proof("POST", url, at: ProofAttackTests.start - 61)
            case .inTheFuture: return try key.proof("POST", url, at: ProofAttackTests.start + 62)
            case .withoutID: return try key.proof("POST", url, changes: ["jti": .null])
            case .withoutTime: return try key.proof("POST", url, changes: ["iat": .null])
            case .otherType: return try key.proof("POST", url, header: ["typ": "JWT"])
            case .privateKey:
                var jwk = try #require(key.key.publicJWK())
                jwk["d"] = "AA"
                return try key.proof("POST", url, header: ["jwk": .object(jwk)])
            case .notAllowedAlgorithm: return try ProofKey(.rsa(bits: 2048)).proof("POST", url)
            case .otherSignature:
                let parts = try key.proof("POST", url).split(separator: ".")
                let other = try key.proof("POST", url).split(separator: ".")
                return [parts[0], parts[1], other[2]].joined(separator: ".")
            case .keyOfAnother:
                let jwk = try #require(try ProofKey().key.publicJWK())
                return try key.proof("POST", url, header: ["jwk": .object(jwk)])
            case .noJWS: return "proof"
            case .empty: return ""
            case .twoInOne: return try key.proof("POST", url) + ", " + key.proof("POST", url)
            }
        }
    }

    @Test(arguments: Trick.allCases)
    func invalidProofIsRefusedWithoutSpendingCode(_ trick: Trick) async throws {
        let fixture = try IssuerFixture.proving()
        let key = try ProofKey()
        let app = ProvingApp(fixture: fixture, key: key)
        let code = try await fixture.code()
        let answer = try await app.ask(fixture.redemption(code), proofs: [try trick.proof(key)])
        #expect(answer.outcome == "400 invalid_dpop_proof", "\(trick)")
        #expect(answer.field("Cache-Control") == "no-store")
        #expect(try TokenResponse(try await app.ask(fixture.redemption(code))).keyName == key.name)
    }

    @Test func twoProofFieldsAreRefused() async throws {
        let fixture = try IssuerFixture.proving()
        let key = try ProofKey()
        let app = ProvingApp(fixture: fixture, key: key)
        let code = try await fixture.code()
        let two = [try key.proof("POST", Self.url), try key.proof("POST", Self.url)]
        #expect(try await app.ask(fixture.redemption(code), proofs: two).outcome == "400 invalid_dpop_proof")
    }

    @Test func proofIsAcceptedOnceOnAnyInstance() async throws {
        let store = WatchedStore()
        let fixtures = [try IssuerFixture.proving(store: store), try IssuerFixture.proving(store: store)]
        let key = try ProofKey()
        let proof = try key.proof("POST", Self.url)
        let first = ProvingApp(fixture: fixtures[0], key: key)
        let tokens = try TokenResponse(
            try await first.ask(fixtures[0].redemption(try await fixtures[0].code()), proofs: [proof])
        )
        for fixture in fixtures {
            let app = ProvingApp(fixture: fixture, key: key)
            let again = try await app.ask(fixture.redemption(try await fixture.code()), proofs: [proof])
            #expect(again.outcome == "400 invalid_dpop_proof")
            let form: Parameters = [("grant_type", "refresh_token"), ("refresh_token", tokens.refresh)]
            let refresh = try await app.ask(form + IssuerClient.mobile.credentials, proofs: [proof])
            #expect(refresh.outcome == "400 invalid_dpop_proof")
        }
        // Also of concurrent uses.
        let code = try await fixtures[0].code()
        let another = try key.proof("POST", Self.url)
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for fixture in fixtures + fixtures {
                group.addTask {
                    try await ProvingApp(fixture: fixture).ask(fixture.redemption(code), proofs: [another]).outcome
                }
            }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(answers.count { $0 == "400 invalid_dpop_proof" } == 3)
    }

    // MARK: Nonces

    /// RFC 9449 section 8: the nonce comes with the error, and the same code is redeemed with it.
    @Test func nonceIsRequestedBeforeTokens() async throws {
        let fixture = try IssuerFixture.proving(ProofRules(need: .optional, nonce: true))
        let key = try ProofKey()
        var app = ProvingApp(fixture: fixture, key: key)
        let code = try await fixture.code()
        let refused = try await app.ask(fixture.redemption(code))
        #expect(refused.outcome == "400 use_dpop_nonce")
        app.nonce = refused.field("DPoP-Nonce")
        let answer = try await app.ask(fixture.redemption(code))
        let tokens = try TokenResponse(answer)
        #expect(tokens.keyName == key.name)
        // Each response has the next nonce.
        app.nonce = answer.field("DPoP-Nonce")
        let good = try #require(app.nonce)
        #expect(try TokenResponse(try await app.refresh(tokens.refresh)).keyName == key.name)
        for nonce in ["", "AAAA", good + "A"] {
            app.nonce = nonce
            #expect(try await app.refresh(tokens.refresh).outcome == "400 use_dpop_nonce")
        }
    }

    @Test func expiredOrForeignNonceIsRefused() async throws {
        let fixture = try IssuerFixture.proving(ProofRules(need: .optional, nonce: true))
        let key = try ProofKey()
        var app = ProvingApp(fixture: fixture, key: key)
        app.nonce = fixture.context.proofNonces.make(at: Self.start)
        let tokens = try await app.signIn()
        let late = Self.start + ProofNonces.lifetime + 60
        #expect(try await app.refresh(tokens.refresh, at: late).outcome == "400 use_dpop_nonce")
        let elsewhere = ProofNonces(key: Array(repeating: 7, count: 32))
        app.nonce = elsewhere.make(at: late)
        #expect(try await app.refresh(tokens.refresh, at: late).outcome == "400 use_dpop_nonce")
    }

    @Test func noNonceIsSentUnlessConfigured() async throws {
        let fixture = try IssuerFixture.proving()
        let app = ProvingApp(fixture: fixture, key: try ProofKey())
        let answer = try await app.ask(fixture.redemption(try await fixture.code()))
        #expect(answer.status == 200 && answer.field("DPoP-Nonce") == nil)
    }
}
