import Store
import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants
@testable import TokenSigning

/// Discovery, keys, and common behaviour of the endpoints.
struct IssuerEndpointsTests {
    private static let start = IssuerFixture.start

    // MARK: Discovery

    @Test(arguments: [SignatureAlgorithm.es256, .rs256])
    func discoveryHasRequiredMetadata(_ algorithm: SignatureAlgorithm) async throws {
        let fixture = try IssuerFixture(issuer: .clans(algorithm: algorithm))
        let response = try await fixture.get(.discovery)
        #expect(response.status == 200)
        #expect(response.field("Content-Type") == "application/json")
        // URLs contain the requested host and port.
        #expect(response.field("Cache-Control") == "private, max-age=300")
        let document = try response.object
        // OpenID Connect Discovery 1.0 section 3: REQUIRED.
        #expect(document["issuer"] == "https://clans.example")
        #expect(document["authorization_endpoint"] == "https://clans.example/id/oauth2/authorize")
        #expect(document["token_endpoint"] == "https://clans.example/id/oauth2/token")
        #expect(document["jwks_uri"] == "https://clans.example/id/oauth2/jwks.json")
        #expect(document["response_types_supported"] == ["code"])
        #expect(document["subject_types_supported"] == ["public"])
        #expect(document["id_token_signing_alg_values_supported"] == [.string(algorithm.rawValue)])
        // RECOMMENDED and optional.
        #expect(document["userinfo_endpoint"] == "https://clans.example/id/userinfo")
        #expect(document["scopes_supported"] == ["openid", "email", "profile", "stats"])
        #expect(document["claims_supported"]?.stringOrStrings?.contains("email") == true)
        #expect(document["response_modes_supported"] == ["query", "form_post"])
        #expect(document["prompt_values_supported"] == ["none", "login", "consent", "select_account"])
        #expect(document["ui_locales_supported"] == ["en", "de", "es", "fr", "ja"])
        #expect(document["acr_values_supported"] == nil)
        #expect(document["frontchannel_logout_supported"] == true)
        #expect(document["grant_types_supported"] == ["authorization_code", "refresh_token"])
        #expect(document["claims_parameter_supported"] == false)
        #expect(document["request_parameter_supported"] == false)
        #expect(document["request_uri_parameter_supported"] == false)
        // RFC 8414, RFC 9207, RP-Initiated Logout.
        #expect(document["code_challenge_methods_supported"] == ["S256"])
        #expect(document["revocation_endpoint"] == "https://clans.example/id/oauth2/revoke")
        #expect(document["introspection_endpoint"] == "https://clans.example/id/oauth2/introspect")
        #expect(document["end_session_endpoint"] == "https://clans.example/id/oauth2/logout")
        #expect(document["authorization_response_iss_parameter_supported"] == true)
        let methods: JSONValue = ["none", "client_secret_basic", "client_secret_post"]
        #expect(document["token_endpoint_auth_methods_supported"] == methods)
        #expect(document["revocation_endpoint_auth_methods_supported"] == methods)
        #expect(document["service_documentation"] == nil)
    }

    @Test func discoveryListsAuthenticationMethodsOfClients() async throws {
        let cases: [([IssuerClient], JSONValue)] = [
            ([.mobile], ["none"]), ([.board], ["client_secret_basic", "client_secret_post"]),
            ([], ["none", "client_secret_basic", "client_secret_post"]),
        ]
        for (clients, methods) in cases {
            let document = try await IssuerFixture(issuer: .clans(clients: clients)).get(.discovery).object
            #expect(document["token_endpoint_auth_methods_supported"] == methods)
        }
    }

    @Test func discoveryURLsUseRequestHost() async throws {
        let fixture = try IssuerFixture(
            issuer: BuiltInIssuer(url: "https://id.example", audience: "a", algorithm: .es256)
        )
        var request = EndpointRequest(endpoint: .discovery, method: "GET", authority: "localhost:8080", now: Self.start)
        request.isSecure = false
        let document = try await fixture.ask(request).object
        #expect(document["issuer"] == "https://id.example")
        #expect(document["token_endpoint"] == "http://localhost:8080/oauth2/token")
    }

    // MARK: Keys

    @Test func publishedKeysVerifyTokens() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        let response = try await fixture.get(.jwks)
        #expect(response.status == 200)
        #expect(response.field("Content-Type") == "application/json")
        #expect(response.field("Cache-Control") == "public, max-age=300")
        let keys = try KeySet(jwks: response.body)
        let policy = IssuerPolicy(
            issuer: "https://clans.example",
            audiences: ["clans-api"],
            algorithms: [.es256],
            keys: keys
        )
        let verifier = TokenVerifier(VerificationPolicy(issuers: [policy]))
        #expect(try verifier.verify(Array(tokens.access.utf8), at: Self.start).subject == "alice")
        for member in try #require(try response.object["keys"]?.array) {
            #expect(member.object?["d"] == nil)
            #expect(member.object?["kid"] != nil)
        }
    }

    // MARK: All endpoints

    @Test(arguments: [
        (Endpoint.discovery, ["POST", "PUT"], "GET, HEAD"), (.jwks, ["POST", "DELETE"], "GET, HEAD"),
        (.token, ["GET", "HEAD", "PUT", "OPTIONS"], "POST"), (.revoke, ["GET"], "POST"), (.introspect, ["GET"], "POST"),
        (.userInfo, ["PUT", "HEAD"], "GET, POST"), (.logout, ["DELETE", "HEAD"], "GET, POST"),
    ])
    func otherMethodIs405WithAllow(_ endpoint: Endpoint, _ methods: [String], _ allow: String) async throws {
        let fixture = try IssuerFixture()
        for method in methods {
            let request = EndpointRequest(
                endpoint: endpoint,
                method: method,
                authority: "clans.example",
                now: Self.start
            )
            let response = try await fixture.ask(request)
            #expect(response.status == 405)
            #expect(response.field("Allow") == allow)
        }
    }

    @Test func otherEndpointIs404() async throws {
        let fixture = try IssuerFixture()
        for endpoint in [Endpoint.authorize, .appleExchange, .sessionLogout] {
            #expect(try await fixture.get(endpoint).status == 404)
        }
    }

    @Test func tenantWithoutIssuerHasNoEndpoints() throws {
        let fixture = try IssuerFixture()
        var tenant = fixture.tenant
        tenant.issuer = nil
        let context = SignInContext(
            tenant: tenant,
            store: fixture.store,
            accounts: fixture.accounts,
            sessions: fixture.sessions,
            keys: fixture.keys,
            providerTokens: NoProviders(),
            requests: NoProviders(),
            revocations: StoredRevocations(store: fixture.store),
            logger: fixture.log.logger,
            proofNonces: ProofNonces(),
            limits: fixture.limits
        )
        let verifier = OwnTokenVerifier(fixture.sessions.rules, keys: fixture.keys)
        #expect(IssuerEndpoints(context, codes: fixture.codes, verifier: verifier) == nil)
    }

    @Test func unavailableKeysAreReportedAs503() async throws {
        let (whole, keyless) = (try IssuerFixture(), try IssuerFixture(keys: BrokenKeyFiles()))
        let tokens = try await whole.tokens()
        let board = IssuerClient.board.credentials
        let responses = [
            try await keyless.get(.jwks), try await keyless.get(.userInfo, authorization: "Bearer \(tokens.access)"),
            try await keyless.post(.revoke, [("token", tokens.access)] + board),
            try await keyless.post(.introspect, [("token", tokens.access)] + board),
            try await keyless.post(.token, keyless.redemption(keyless.code())),
        ]
        for response in responses {
            #expect(response.outcome == "503 temporarily_unavailable")
            #expect(response.field("Retry-After") == "5")
        }
        #expect(try await keyless.get(.logout, [("id_token_hint", tokens.id)]).status == 503)
    }

    @Test func logHasNoTokenCodeOrSecret() async throws {
        let fixture = try IssuerFixture()
        let form = try await fixture.redemption(fixture.code(for: .board), .board)
        let tokens = try TokenResponse(await fixture.post(.token, form))
        _ = try await fixture.post(.token, form)
        let other = try await fixture.redemption(fixture.code())
        _ = try await fixture.post(.token, other.filter { $0.name != "client_id" } + [("client_id", "tablet")])
        let another = try await fixture.tokens(for: .board)
        _ = try await fixture.post(.revoke, [("token", another.refresh)] + IssuerClient.board.credentials)
        _ = try await fixture.get(.logout, [("id_token_hint", fixture.tokens().id)])
        let lines = fixture.log.lines
        #expect(lines.count >= 4)
        let secrets =
            [tokens.access, tokens.refresh, try tokens.id, another.refresh, IssuerFixture.verifier, "kzI+ABc"]
            + (form + other).filter { $0.name == "code" }.map(\.value)
        for line in lines {
            for secret in secrets { #expect(!line.contains(secret)) }
            #expect(line.contains("tenant=clans"))
        }
    }
}
