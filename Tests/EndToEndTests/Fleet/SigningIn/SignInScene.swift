import Demo
import Tenants
import Testing
import Verification

/// A fleet whose tenants have issuers of their own, before the stand-in for Apple and Google: ``AppSetup/games``, and two
/// apps that share their accounts.
struct SignInScene: Sendable {
    static let host = AppSetup.games.host
    static let riderHost = "rider.localtest"
    static let courierHost = "courier.localtest"
    /// Where the three exchange Apple's identity tokens.
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
    ) async throws -> SignedIn {
        let answer = try await instance.app().post(Self.path, json: try identity(user, nonce: nonce))
        return try SignedIn(answer, sourceLocation: sourceLocation)
    }

    /// The text of a tenants.yaml that no instance of ``fleet`` has.
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

/// Runs `visit` with a scene that is gone afterwards.
func withSignInFleet(_ visit: (SignInScene) async throws -> Void) async throws {
    var setup = AppSetup.fixture([.games], gateway: "trusted_proxies: [127.0.0.1/32]")
    setup.others += SignInScene.sharedAccounts
    try await withStandIn(setup) { standIn, values in
        var filled = setup
        for (name, value) in values { filled.others = filled.others.replacing("{\(name)}", with: value) }
        // Kept apart: who stands before a fleet need not know how the stand-in's helpers name the files.
        let keySetFile = try #require(values["apple_p8"]) + ".jwks"
        try await withInstances(filled) { fleet in
            try await visit(SignInScene(fleet: fleet, standIn: standIn, setup: filled, keySetFile: keySetFile))
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

/// What an app holds that has signed in.
struct SignedIn: Sendable {
    let access: String
    let refresh: String
    let answer: JSONObject

    /// Expects an answer with tokens.
    init(_ response: RawResponse, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(response.status == 200, "\(response.body.text)", sourceLocation: sourceLocation)
        answer = try #require(response.json, sourceLocation: sourceLocation)
        access = try #require(answer["access_token"]?.string, sourceLocation: sourceLocation)
        refresh = try #require(answer["refresh_token"]?.string, sourceLocation: sourceLocation)
    }

    /// Claims of the access token.
    var subject: String? { GivenTokens.claims(access)?["sub"]?.string }
    var session: String? { GivenTokens.claims(access)?["sid"]?.string }

    /// Which key signed the access token.
    var keyID: String? {
        let header = access.split(separator: ".").first.flatMap { Base64URL.decode(String($0)) }
        return header.flatMap { (try? JSONParser.parse($0))?.object }?["kid"]?.string
    }
}

extension Instance {
    /// An app that talks to this instance.
    func app(_ host: String = SignInScene.host) -> AppClient {
        let address = address
        return AppClient(host: host) { try await Self.exchange($0, $1, with: address) }
    }

    /// Who runs the gateway, at its admin listener.
    var adminClient: AppClient {
        let admin = admin
        return AppClient(host: "\(admin)") { try await Self.exchange($0, $1, with: admin) }
    }

    private static func exchange(_ text: String, _ method: String, with address: HostPort) async throws -> RawResponse {
        return try await RawClient.answer(to: text, method: method, at: address)
    }

    /// Uses an access token.
    func status(of access: String) async throws -> Int {
        try await app().get("/scores", token: access).status
    }

    func renew(_ refresh: String, fields: [String] = []) async throws -> RawResponse {
        try await app().post("/auth/refresh", json: ["refresh_token": .string(refresh)], fields: fields)
    }

    /// The key set as others fetch it.
    func publishedKeyIDs() async throws -> [String] {
        let answer = try await app().get("/id/oauth2/jwks.json")
        #expect(answer.status == 200)
        let keys = try #require(answer.json?["keys"]?.array)
        return keys.compactMap { $0.object?["kid"]?.string }
    }

    /// The keys as the admin listener tells of them.
    func keys() async throws -> [JSONObject] {
        let answer = try await adminClient.get("/api/keys?tenant=games")
        #expect(answer.status == 200, "\(answer.body.text)")
        return try #require(answer.json?["keys"]?.array).compactMap(\.object)
    }

    /// The sessions of a subject, by their names.
    func sessions(of subject: String) async throws -> [String] {
        let answer = try await adminClient.get("/api/sessions?tenant=games&subject=\(Form.encoded(subject))")
        #expect(answer.status == 200, "\(answer.body.text)")
        return try #require(answer.json?["sessions"]?.array).compactMap { $0.object?["session"]?.string }
    }
}
