import Demo
import Tenants
import Testing
import Verification

/// A fleet whose tenants have built-in issuers, with the stand-in for Apple and Google: ``AppSetup/games``, and two
/// apps that share their accounts.
struct SignInScene: Sendable {
    static let host = AppSetup.games.host
    static let riderHost = "rider.localtest"
    static let courierHost = "courier.localtest"
    /// The path of the three for Apple's identity tokens.
    static let path = "/auth/apple"

    let fleet: Instances
    let standIn: ProviderStandIn
    /// Of the fleet, with the stand-in's addresses filled in.
    let setup: GatewaySetup
    /// A key set on the disk, which the setup names.
    let keySetFile: String

    /// What an app sends to sign in.
    func identity(_ user: ProviderUser, nonce: String) throws -> JSONObject {
        let token = try standIn.appleToken(user, for: "com.example.games", nonce: nonce)
        return ["identity_token": .string(token), "nonce": .string(nonce)]
    }

    func signIn(
        _ user: ProviderUser,
        nonce: String = "a-nonce",
        at instance: Instance,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> GivenTokens {
        let response = try await instance.app().post(Self.path, json: try identity(user, nonce: nonce))
        return try GivenTokens(response, sourceLocation: sourceLocation)
    }

    /// A tenants.yaml for an instance outside of ``fleet``.
    ///
    /// - Parameter store: As in `gateway.store`.
    func text(store: String) -> String {
        var setup = setup
        setup.gateway += "\nstore: \"\(store)\""
        return setup.text(["backend": "http://127.0.0.1:\(fleet.backend.port)", "jwks": keySetFile])
    }

    /// What the tenants of the fleet are, read from the text.
    func tenant(_ name: String) throws -> Tenant {
        let values = ["backend": "http://127.0.0.1:\(fleet.backend.port)", "jwks": keySetFile]
        return try #require(try setup.configuration(values).tenants.first { $0.name == name })
    }
}

/// Runs `test` with a scene, which is removed afterwards.
///
/// - Parameter change: Changes its setup.
func withSignInFleet(
    _ change: (inout GatewaySetup) -> Void = { _ in },
    _ test: (SignInScene) async throws -> Void
) async throws {
    var setup = AppSetup.fixture([.games], gateway: "trusted_proxies: [127.0.0.1/32]")
    setup.others += SignInScene.sharedAccounts
    change(&setup)
    try await withStandIn(setup) { standIn, values in
        var filled = setup
        for (name, value) in values { filled.others = filled.others.replacing("{\(name)}", with: value) }
        // Kept apart from the names of the stand-in's helpers.
        let keySetFile = try #require(values["apple_p8"]) + ".jwks"
        try await withInstances(filled) { fleet in
            try await test(SignInScene(fleet: fleet, standIn: standIn, setup: filled, keySetFile: keySetFile))
        }
    }
}

extension SignInScene {
    fileprivate static let sharedAccounts = """

        rider:
        \(tenant(host: riderHost, role: "rider"))
        courier:
        \(tenant(host: courierHost, role: "courier"))
        """

    private static func tenant(host: String, role: String) -> String {
        """
          hosts: [\(host)]
          realm: street
          role: \(role)
          backend: { servers: ["{backend}"] }
          authenticate: { from: [bearer], issuers: [ { preset: built-in } ] }
          issuer: { url: "https://\(host)", audience: \(role)-api, algorithm: ES256 }
          sign_in:
            apple:
              path: \(path)
              client_ids: [com.example.games]
              nonce: required
              then: issue
              issuer: "{apple_issuer}"
              jwks_url: "{apple_keys}"
        """
    }
}

extension Instance {
    /// A client app of this instance.
    func app(_ host: String = SignInScene.host) -> AppClient {
        let address = address
        return AppClient(host: host) { try await Self.exchange($0, $1, with: address) }
    }

    /// A client of its admin listener.
    var adminClient: AppClient {
        let admin = admin
        return AppClient(host: "\(admin)") { try await Self.exchange($0, $1, with: admin) }
    }

    private static func exchange(_ text: String, _ method: String, with address: HostPort) async throws -> RawResponse {
        return try await RawClient.exchange(text, method: method, at: address)
    }

    /// The status of a request with this access token.
    func status(of access: String) async throws -> Int {
        try await app().get("/scores", token: access).status
    }

    func renew(_ refresh: String, fields: [String] = []) async throws -> RawResponse {
        try await app().post("/auth/refresh", json: ["refresh_token": .string(refresh)], fields: fields)
    }

    /// Key IDs of the published key set.
    func publishedKeyIDs() async throws -> [String] {
        let response = try await app().get("/id/oauth2/jwks.json")
        #expect(response.status == 200)
        let keys = try #require(response.json?["keys"]?.array)
        return keys.compactMap { $0.object?["kid"]?.string }
    }

    /// The keys in the admin API.
    func keys() async throws -> [JSONObject] {
        let response = try await adminClient.get("/api/keys?tenant=games")
        #expect(response.status == 200, "\(response.body.text)")
        return try #require(response.json?["keys"]?.array).compactMap(\.object)
    }

    /// The session IDs of a subject.
    func sessions(of subject: String) async throws -> [String] {
        let response = try await adminClient.get("/api/sessions?tenant=games&subject=\(Form.encoded(subject))")
        #expect(response.status == 200, "\(response.body.text)")
        return try #require(response.json?["sessions"]?.array).compactMap { $0.object?["session"]?.string }
    }
}
