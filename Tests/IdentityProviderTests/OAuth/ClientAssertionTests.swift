import Store
import TestSupport
import Testing
import Time

@testable import IdentityProvider
@testable import Tenants
@testable import Verification

/// `private_key_jwt`, with real keys.
struct ClientAssertionTests {
    private static let start = IssuerFixture.start
    private static let source = IssuerClient.KeysSource.remote(
        RemoteKeySource(location: .keySet(url: "https://partner.example/jwks"))
    )
    private static let partner: IssuerClient = {
        var client = IssuerClient(id: "partner", redirectURIs: ["https://partner.example/back"], scopes: ["openid"])
        client.keys = source
        return client
    }()

    /// The partner's keys as fetched.
    private actor Keys: ClientKeySets {
        var known: KeySet?
        /// What a fetch finds.
        var published: KeySet?
        var fetches = 0

        init(known: KeySet?, published: KeySet? = nil) { (self.known, self.published) = (known, published) }

        func keys(of source: IssuerClient.KeysSource) -> KeySet? {
            source == ClientAssertionTests.source ? known : nil
        }

        func fetch(_ source: IssuerClient.KeysSource, isMissing: Bool) -> Bool {
            fetches += 1
            guard let published else { return false }
            known = published
            return true
        }
    }

    private static func set(_ key: SigningKey, id: String = "k") throws -> KeySet {
        var jwk = try #require(key.publicJWK())
        jwk["kid"] = .string(id)
        return try KeySet(jwks: JSONWriter.bytes(of: ["keys": [.object(jwk)]] as JSONObject))
    }

    private func fixture(
        _ keys: Keys,
        _ store: WatchedStore = WatchedStore(),
        url: String = "https://clans.example",
        hosts: [HostPattern]? = nil
    ) throws -> IssuerFixture {
        var issuer = BuiltInIssuer.clans(clients: [.mobile, .board, Self.partner])
        issuer.url = url
        return try IssuerFixture("clans", store, issuer: issuer, hosts: hosts, clientKeys: keys)
    }

    private static let claims: JSONObject = [
        "iss": "partner", "sub": "partner", "aud": "https://clans.example", "jti": "j-1",
        "iat": .time(start), "exp": .time(start + 300),
    ]

    private func assertion(
        _ key: SigningKey,
        _ algorithm: SignatureAlgorithm = .es256,
        kid: String = "k",
        header: JSONObject = JSONObject(),
        changes: [String: JSONValue?] = [:]
    ) throws -> String {
        var claims = Self.claims
        for (name, value) in changes { claims[name] = value }
        return try TokenSigner(key, algorithm: algorithm, keyID: kid).sign(claims, header: header)
    }

    private func assertion(_ key: SigningKey, _ changes: [String: JSONValue?]) throws -> String {
        try assertion(key, .es256, changes: changes)
    }

    private func form(_ assertion: String) -> Parameters {
        [("client_assertion_type", ClientAssertion.type), ("client_assertion", assertion)]
    }

    /// Presents an unknown refresh token: an authenticated client gets `invalid_grant`.
    private func outcome(
        _ fixture: IssuerFixture,
        _ form: Parameters,
        authorization: String? = nil,
        host: String? = nil,
        at now: UnixTime = start
    ) async throws -> String {
        let form = [("grant_type", "refresh_token"), ("refresh_token", "nobodys")] + form
        return try await fixture.post(.token, form, authorization: authorization, host: host, at: now).outcome
    }

    private let accepted = "400 invalid_grant"
    private let refused = "401 invalid_client"

    @Test(arguments: [
        (SigningKey.Kind.p256, SignatureAlgorithm.es256), (.rsa(bits: 2048), .rs256), (.rsa(bits: 2048), .ps256),
        (.p384, .es384), (.ed25519, .edDSA),
    ])
    func clientAuthenticatesByItsKey(_ kind: SigningKey.Kind, _ algorithm: SignatureAlgorithm) async throws {
        let key = try SigningKey.generate(kind)
        let fixture = try fixture(Keys(known: try Self.set(key)))
        #expect(try await outcome(fixture, form(try assertion(key, algorithm))) == accepted)
        #expect(fixture.log.lines.isEmpty)
    }

    @Test func codeIsRedeemedAndTokensAreRevokedAndIntrospected() async throws {
        let key = try SigningKey.generate(.p256)
        let fixture = try fixture(Keys(known: try Self.set(key)))
        let code = try await fixture.code(for: Self.partner, scopes: ["openid"])
        var request = fixture.redemption(code, Self.partner).filter { $0.name != "client_id" }
        request += form(try assertion(key))
        let tokens = try TokenResponse(await fixture.post(.token, request))
        let question = [("token", tokens.access)] + form(try assertion(key, ["jti": "j-2"]))
        #expect(try await fixture.post(.introspect, question).object["active"] == true)
        let revocation = [("token", tokens.refresh)] + form(try assertion(key, ["jti": "j-3"]))
        #expect(try await fixture.post(.revoke, revocation).status == 200)
        let again = [("token", tokens.access)] + form(try assertion(key, ["jti": "j-4"]))
        #expect(try await fixture.post(.introspect, again).object["active"] == false)
    }

    @Test func tokenEndpointIsAnAudienceToo() async throws {
        let key = try SigningKey.generate(.p256)
        let fixture = try fixture(Keys(known: try Self.set(key)))
        let audience: JSONValue = ["https://clans.example/id/oauth2/token"]
        #expect(try await outcome(fixture, form(try assertion(key, ["aud": audience]))) == accepted)
    }

    /// With a pattern among the hosts the `Host` field of a request is whatever its sender likes.
    @Test(arguments: [
        ("https://clans.example", "clans.example", "https://clans.example/id/oauth2/token", true),
        ("https://clans.example", "id.clans.example", "https://id.clans.example/id/oauth2/token", true),
        ("https://clans.example", "id.clans.example", "https://clans.example", true),
        ("https://clans.example", "any.clans.example", "https://any.clans.example/id/oauth2/token", false),
        ("https://clans.example", "any.clans.example", "https://clans.example/id/oauth2/token", true),
        ("https://clans.example", "any.clans.example", "https://id.clans.example/id/oauth2/token", false),
        ("https://clans.example", "id.clans.example:8443", "https://id.clans.example:8443/id/oauth2/token", true),
        ("https://clans.example", "id.clans.example:443", "https://id.clans.example:443/id/oauth2/token", true),
        ("https://clans.example:8443", "id.clans.example:8443", "https://id.clans.example:8443/id/oauth2/token", true),
        ("https://clans.example:8443", "any.clans.example", "https://clans.example:8443/id/oauth2/token", true),
        ("https://clans.example:8443", "x.clans.example:8443", "https://x.clans.example:8443/id/oauth2/token", false),
        ("https://login.example/realm", "id.clans.example", "https://login.example/realm", true),
        ("https://login.example/realm", "id.clans.example", "https://login.example/id/oauth2/token", true),
    ])
    func onlyConfiguredAudiencesCount(
        _ url: String,
        _ host: String,
        _ audience: String,
        _ isAccepted: Bool
    ) async throws {
        let key = try SigningKey.generate(.p256)
        let hosts: [HostPattern] = [
            .exact("clans.example"), .exact("id.clans.example"), .oneLabelBelow("clans.example"),
        ]
        let fixture = try fixture(Keys(known: try Self.set(key)), url: url, hosts: hosts)
        let presented = form(try assertion(key, ["aud": .string(audience)]))
        #expect(try await outcome(fixture, presented, host: host) == (isAccepted ? accepted : refused))
    }

    @Test(
        arguments: [
            ["aud": "https://clans.example/"], ["aud": "https://other.example"], ["aud": nil], ["aud": []],
            ["aud": ["https://clans.example", "https://other.example"]],
            ["aud": ["https://clans.example", "https://clans.example/id/oauth2/token"]], ["iss": "board"], ["iss": nil],
            ["sub": "board"], ["sub": "mobile"], ["sub": nil], ["iss": "board", "sub": "board"], ["jti": nil],
            ["jti": ""],
            ["jti": 7], ["jti": .string(String(repeating: "j", count: 257))], ["exp": nil], ["exp": .time(start - 61)],
            ["exp": .time(start + 661)], ["exp": "soon"], ["nbf": .time(start + 120)],
            ["padding": .string(String(repeating: "p", count: 20_000))],
        ] as [[String: JSONValue?]]
    )
    func hostileClaimsAreRefused(_ changes: [String: JSONValue?]) async throws {
        let key = try SigningKey.generate(.p256)
        let fixture = try fixture(Keys(known: try Self.set(key)))
        #expect(try await outcome(fixture, form(try assertion(key, changes))) == refused)
        // The same client with a good one.
        #expect(try await outcome(fixture, form(try assertion(key))) == accepted)
    }

    @Test func hostileSignaturesAreRefused() async throws {
        let (key, other) = (try SigningKey.generate(.rsa(bits: 2048)), try SigningKey.generate(.rsa(bits: 2048)))
        let fixture = try fixture(Keys(known: try Self.set(key)))
        let good = try assertion(key, .rs256)
        let parts = good.split(separator: ".").map(String.init)
        let unsigned = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + parts[1] + "."
        let publicKey = try #require(key.publicKeyPEM)
        let confused = try assertion(SigningKey(secret: Array(publicKey.utf8)), .hs256)
        let ownKey = try assertion(other, .rs256, header: ["jwk": .object(try #require(other.publicJWK()))])
        let texts = [
            unsigned, confused, ownKey, try assertion(other, .rs256), try assertion(other, .rs256, kid: "unknown"),
            parts[0] + "." + parts[1] + ".", parts[0] + "." + parts[1], good + "x", "", "x", "..",
            try assertion(key, .rs256, header: ["typ": "at+jwt"]),
            try assertion(key, .rs256, header: ["typ": "dpop+jwt"]),
            try assertion(key, .rs256, header: ["crit": ["x"], "x": 1]),
        ]
        for text in texts.prefix(8) { #expect(try await outcome(fixture, form(text)) == refused, "\(text)") }
        // A fresh one, as failures are limited.
        let second = try self.fixture(Keys(known: try Self.set(key)))
        for text in texts.dropFirst(8) { #expect(try await outcome(second, form(text)) == refused, "\(text)") }
    }

    @Test func assertionIsUsedOnceOnAllInstances() async throws {
        let key = try SigningKey.generate(.p256)
        let store = WatchedStore()
        let keys = Keys(known: try Self.set(key))
        let (one, other) = (try fixture(keys, store), try fixture(keys, store))
        let text = try assertion(key)
        let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
            for turn in 0..<8 { group.addTask { try await outcome(turn % 2 == 0 ? one : other, form(text)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.filter { $0 == accepted }.count == 1)
        #expect(outcomes.filter { $0 == refused }.count == 7)
        // Until it has expired by every clock; and its ID may come again in no other assertion either.
        #expect(try await outcome(other, form(try assertion(key, ["exp": .time(Self.start + 200)]))) == refused)
    }

    @Test func twoWaysAtOnceAreRefused() async throws {
        let key = try SigningKey.generate(.p256)
        let fixture = try fixture(Keys(known: try Self.set(key)))
        let good = form(try assertion(key))
        #expect(try await outcome(fixture, good + [("client_secret", "x")]) == "400 invalid_request")
        #expect(try await outcome(fixture, good, authorization: IssuerClient.board.basic) == "400 invalid_request")
        #expect(try await outcome(fixture, good + [("client_id", "board")]) == "400 invalid_request")
        #expect(try await outcome(fixture, good + good) == "400 invalid_request")
        #expect(try await outcome(fixture, good + [("client_id", "partner")]) == accepted)
    }

    @Test func otherCredentialsAreNotAccepted() async throws {
        let key = try SigningKey.generate(.p256)
        let fixture = try fixture(Keys(known: try Self.set(key)))
        let good = try assertion(key)
        for form: Parameters in [
            [("client_id", "partner")], [("client_id", "partner"), ("client_secret", "x")],
            [("client_assertion", good)], [("client_assertion_type", ClientAssertion.type)],
            [("client_assertion_type", ClientAssertion.type + "2"), ("client_assertion", good)],
        ] {
            #expect(try await outcome(fixture, form) == refused)
        }
        // A client without keys has no assertions.
        #expect(try await outcome(fixture, form(try assertion(key, ["iss": "board", "sub": "board"]))) == refused)
        #expect(try await outcome(fixture, form(good)) == accepted)
    }

    @Test func secretCountsOnlyInItsWay() async throws {
        var board = IssuerClient.board
        for (method, isBasic) in [(IssuerClient.AuthMethod.basic, true), (.post, false)] {
            board.secretMethod = method
            let fixture = try IssuerFixture(issuer: .clans(clients: [board]))
            let basic = try await outcome(fixture, [], authorization: board.basic)
            #expect(basic == (isBasic ? accepted : refused))
            #expect(try await outcome(fixture, board.credentials) == (isBasic ? refused : accepted))
        }
    }

    @Test func failuresAreLimited() async throws {
        let (key, other) = (try SigningKey.generate(.p256), try SigningKey.generate(.p256))
        let fixture = try fixture(Keys(known: try Self.set(key)))
        let wrong = form(try assertion(other))
        for _ in 0..<10 { #expect(try await outcome(fixture, wrong) == refused) }
        #expect(try await outcome(fixture, wrong) == "429 temporarily_unavailable")
        #expect(try await outcome(fixture, form(try assertion(key))) == "429 temporarily_unavailable")
    }

    @Test func missingAndNewKeysAreFetched() async throws {
        let (old, new) = (try SigningKey.generate(.p256), try SigningKey.generate(.p256))
        let (oldSet, newSet) = (try Self.set(old, id: "old"), try Self.set(new, id: "new"))
        for known in [nil, oldSet] {
            let keys = Keys(known: known, published: newSet)
            let fixture = try fixture(keys)
            #expect(try await outcome(fixture, form(try assertion(new, kid: "new"))) == accepted)
            #expect(await keys.fetches == 1)
        }
    }

    @Test func unavailableKeysAreNoFailureOfTheClient() async throws {
        let key = try SigningKey.generate(.p256)
        let keys = Keys(known: nil)
        let fixture = try fixture(keys)
        for _ in 0..<20 {
            #expect(try await outcome(fixture, form(try assertion(key))) == "503 temporarily_unavailable")
        }
        #expect(fixture.log.lines.isEmpty)
    }

    @Test func unavailableStoreIsNoFailureOfTheClient() async throws {
        let key = try SigningKey.generate(.p256)
        let store = WatchedStore()
        let fixture = try fixture(Keys(known: try Self.set(key)), store)
        store.fail([.replace])
        #expect(try await outcome(fixture, form(try assertion(key))) == "503 temporarily_unavailable")
    }

    @Test func discoveryNamesMethodsAndAlgorithms() async throws {
        let fixture = try fixture(Keys(known: nil))
        let document = try await fixture.get(.discovery).object
        let methods: JSONValue = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]
        #expect(document["token_endpoint_auth_methods_supported"] == methods)
        let algorithms = document["token_endpoint_auth_signing_alg_values_supported"]?.array?.compactMap(\.string)
        #expect(algorithms?.contains("ES256") == true)
        #expect(algorithms?.contains { $0.hasPrefix("HS") || $0 == "none" } == false)
        let plain = try await IssuerFixture().get(.discovery).object
        #expect(plain["token_endpoint_auth_signing_alg_values_supported"] == nil)
    }
}
