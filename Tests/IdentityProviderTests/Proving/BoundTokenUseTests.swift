import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Bound access tokens at the gateway's own endpoints (RFC 9449 section 7, RFC 8705 section 3).
struct BoundTokenUseTests {
    private static let start = IssuerFixture.start
    /// The endpoints that accept an access token, with a method.
    private static let endpoints: [(endpoint: Endpoint, method: String)] = [
        (.userInfo, "GET"), (.userInfo, "POST"), (.introspect, "POST"), (.sessionMe, "GET"), (.sessionValidate, "POST"),
        (.sessionLogout, "POST"),
    ]

    /// Attempts to use a stolen access token.
    private enum Attack: String, CaseIterable {
        case asBearer, asBearerWithProof, withoutProof, withProofOfOtherKey, withProofForOtherToken, withoutHash
        case withProofForOtherEndpoint, withProofForOtherMethod, withOldProof

        /// The `error` of the challenge.
        var error: String { self == .asBearer || self == .asBearerWithProof ? "invalid_token" : "invalid_dpop_proof" }

        var scheme: String { self == .asBearer || self == .asBearerWithProof ? "Bearer" : "DPoP" }

        func proof(_ key: ProofKey, _ method: String, _ url: String, _ token: String) throws -> String? {
            switch self {
            case .asBearer, .withoutProof: nil
            case .asBearerWithProof: try key.proof(method, url, token: token)
            case .withProofOfOtherKey: try ProofKey().proof(method, url, token: token)
            case .withProofForOtherToken: try key.proof(method, url, token: token + "A")
            case .withoutHash: try key.proof(method, url)
            case .withProofForOtherEndpoint: try key.proof(method, url + "/more", token: token)
            case .withProofForOtherMethod: try key.proof("PATCH", url, token: token)
            case .withOldProof: try key.proof(method, url, token: token, at: start - 61)
            }
        }
    }

    private static func form(_ endpoint: Endpoint, _ token: String) -> Parameters? {
        endpoint == .introspect ? [("token", token)] : endpoint == .userInfo ? [] : nil
    }

    /// The issuer's endpoints use errors of RFC 6750, the others the gateway's.
    private static func expected(_ endpoint: Endpoint, _ error: String) -> String {
        switch endpoint {
        case .userInfo, .introspect: "401 \(error)"
        default: "401 invalid_token \(error)"
        }
    }

    @Test func boundTokenNeedsItsProof() async throws {
        let fixture = try IssuerFixture.proving()
        let key = try ProofKey()
        let app = ProvingApp(fixture: fixture, key: key)
        let keyless = ProvingApp(fixture: fixture)
        let token = try await app.signIn().access
        for (endpoint, method) in Self.endpoints {
            let form = method == "POST" ? Self.form(endpoint, token) : nil
            for attack in Attack.allCases {
                let answer = try await keyless.use(
                    token,
                    at: endpoint,
                    method,
                    form: form,
                    scheme: attack.scheme,
                    proof: try attack.proof(key, method, app.url("/id/\(endpoint.rawValue)"), token)
                )
                let expected = Self.expected(endpoint, attack.error)
                #expect(answer.outcome == expected, "\(endpoint) \(attack)")
                if case .response(let response) = answer {
                    #expect(response.fields.proofError == attack.error, "\(endpoint) \(attack)")
                }
            }
            // The logout comes last and ends the session.
            let proof = try key.proof(method, app.url("/id/\(endpoint.rawValue)"), token: token)
            let answer = try await app.use(token, at: endpoint, method, form: form, proof: proof)
            #expect(answer.outcome == "200 -", "\(endpoint)")
            let replayed = try await app.use(token, at: endpoint, method, form: form, proof: proof)
            #expect(replayed.outcome == Self.expected(endpoint, "invalid_dpop_proof"), "\(endpoint)")
        }
        #expect(try await app.use(token).outcome == "401 invalid_token")
    }

    @Test func boundTokenInFormIsRefused() async throws {
        let fixture = try IssuerFixture.proving()
        let app = ProvingApp(fixture: fixture, key: try ProofKey())
        let token = try await app.signIn().access
        let answer = await app.send(.userInfo, "POST", "/id/userInfo", form: [("access_token", token)])
        #expect(answer.outcome == "401 invalid_token")
    }

    /// RFC 9449 section 7.1: the scheme says that there is a key.
    @Test func unboundTokenWithDPoPSchemeIsRefused() async throws {
        let fixture = try IssuerFixture.proving()
        let app = ProvingApp(fixture: fixture, key: try ProofKey())
        let token = try await ProvingApp(fixture: fixture).signIn().access
        #expect(try await app.use(token).outcome == "401 invalid_token")
        #expect(try await app.use(token, at: .sessionMe).outcome == "401 invalid_token invalid_token")
        #expect(try await app.use(token, scheme: "Bearer").outcome == "200 -")
    }

    @Test func requiredBindingStillAllowsLogoutWithBearerToken() async throws {
        let fixture = try IssuerFixture.proving(ProofRules(need: .required))
        let keyless = ProvingApp(fixture: fixture)
        let token = try await keyless.signIn().access
        for endpoint in [Endpoint.userInfo, .sessionMe] {
            let answer = try await keyless.use(token, at: endpoint, scheme: "Bearer")
            #expect(answer.outcome == Self.expected(endpoint, "invalid_token"))
        }
        #expect(try await keyless.use(token, at: .sessionLogout, "POST", scheme: "Bearer").outcome == "200 -")
        let observing = try IssuerFixture.proving(ProofRules(need: .required, mode: .observe))
        let other = ProvingApp(fixture: observing)
        let bearer = try await other.signIn().access
        #expect(try await other.use(bearer, scheme: "Bearer").outcome == "200 -")
    }

    /// Bound tokens remain after `dpop` was removed from the tenant.
    @Test func boundTokenIsRefusedWithoutDPoPConfiguration() async throws {
        let store = WatchedStore()
        let app = ProvingApp(fixture: try .proving(store: store), key: try ProofKey())
        let token = try await app.signIn().access
        let later = ProvingApp(fixture: try IssuerFixture("clans", store), key: app.key)
        for scheme in ["Bearer", "DPoP"] {
            #expect(try await later.use(token, scheme: scheme).outcome == "401 invalid_token")
            #expect(try await later.use(token, at: .sessionMe, scheme: scheme).outcome == "401 invalid_token -")
        }
    }

    @Test func missingTokenGetsBothChallenges() async throws {
        let app = ProvingApp(fixture: try .proving())
        guard case .response(let response) = await app.send(.userInfo, "GET", "/id/userinfo") else {
            throw UnexpectedResponse(what: "no answer")
        }
        let challenges = response.fields.filter { $0.name == "WWW-Authenticate" }.map(\.value)
        #expect(challenges == [#"Bearer realm="clans""#, #"DPoP realm="clans", algs="ES256 EdDSA""#])
    }

    @Test func nonceIsRequiredForAccessTokens() async throws {
        let fixture = try IssuerFixture.proving(ProofRules(need: .optional, nonce: true))
        var app = ProvingApp(fixture: fixture, key: try ProofKey())
        app.nonce = fixture.context.proofNonces.make(at: Self.start)
        let token = try await app.signIn().access
        app.nonce = nil
        for endpoint in [Endpoint.userInfo, .sessionMe] {
            let refused = try await app.use(token, at: endpoint)
            #expect(refused.outcome == Self.expected(endpoint, "use_dpop_nonce"))
            var next = app
            next.nonce = refused.fields.first { $0.name == "DPoP-Nonce" }?.value
            #expect(try await next.use(token, at: endpoint).outcome == "200 -")
        }
    }

    /// RFC 8705 section 3: with any scheme, the connection must have the certificate.
    @Test func certificateBoundTokenNeedsItsConnection() async throws {
        var client = IssuerClient.mobile
        client.bindsToCertificate = true
        let fixture = try IssuerFixture("clans", issuer: .clans(clients: [client]))
        let app = ProvingApp(fixture: fixture, client: client, certificate: SHA256.digest([1]))
        let token = try await app.signIn().access
        #expect(try await app.use(token, scheme: "Bearer").outcome == "200 -")
        for certificate in [nil, SHA256.digest([2])] {
            let thief = ProvingApp(fixture: fixture, client: client, certificate: certificate)
            #expect(try await thief.use(token, scheme: "Bearer").outcome == "401 invalid_token")
            #expect(try await thief.use(token, at: .sessionMe, scheme: "Bearer").outcome == "401 invalid_token -")
        }
    }

    @Test func storeFailureRefusesProof() async throws {
        let fixture = try IssuerFixture.proving()
        let app = ProvingApp(fixture: fixture, key: try ProofKey())
        let token = try await app.signIn().access
        fixture.store.fail([.replace])
        #expect(try await app.use(token).outcome == "503 temporarily_unavailable")
        #expect(try await app.use(token, at: .sessionMe).outcome == "503 store_unavailable -")
    }
}

extension EndpointResult {
    fileprivate var fields: [EndpointResponse.Field] {
        switch self {
        case .response(let response): response.fields
        case .refused(let refusal): refusal.fields
        case .forward: []
        }
    }
}
