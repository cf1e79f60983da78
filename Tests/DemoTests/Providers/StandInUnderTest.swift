import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing
import Time
import Verification

@testable import Demo
@testable import Tenants

/// The stand-in with two tenants that sign in there.
struct StandInUnderTest {
    static let appleRedirect = "https://clans.localtest/api/v1/users/oauth2/callback/apple"
    static let googleRedirect = "http://chat.localtest:8080/api/auth/callback"
    static let verifier = String(repeating: "v", count: 43)

    /// The same for all, as they take a while to make.
    static let keys = Result { try ProviderKeys.generate() }

    let standIn: ProviderStandIn
    let client: any TestClientProtocol

    /// - Parameter onSocket: Whether requests go over a real connection.
    static func run(
        onSocket: Bool = false,
        now: @escaping @Sendable () -> UnixTime = { noon },
        _ body: @escaping @Sendable (StandInUnderTest) async throws -> Void
    ) async throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let standIn = ProviderStandIn(keys: try keys.get(), logger: logger, now: now)
        var clans = try tenant("clans.localtest", apple: true)
        var chat = try tenant("chat.localtest", apple: false)
        standIn.apply(to: &clans)
        standIn.apply(to: &chat)
        try await Application(router: standIn.makeRouter()).test(onSocket ? .live : .router) { client in
            try await body(StandInUnderTest(standIn: standIn, client: client))
        }
    }

    static func tenant(_ host: String, apple: Bool) throws -> Tenant {
        var tenant = Tenant(
            TenantSettings(
                name: host,
                hosts: [.exact(host)],
                backends: [Backend(servers: [])],
                authenticate: Authentication(policy: VerificationPolicy(issuers: []))
            )
        )
        if apple {
            tenant.issuer = BuiltInIssuer(
                url: "https://\(host)",
                audience: "clans",
                algorithm: .es256,
                basePath: "/api/v1/users"
            )
            tenant.signIn = SignIn(
                apple: AppleSignIn(
                    path: try PathPattern("/exchange"),
                    clientIDs: ["com.example.clans"],
                    then: .issue,
                    web: AppleSignIn.Web(clientID: "com.example.clans.web", teamID: "TEAM", keyID: "KEY")
                )
            )
        } else {
            tenant.signIn = SignIn(
                google: GoogleSignIn(path: try PathPattern("/google"), clientIDs: ["chat-web"], then: .issue),
                web: WebSignIn(
                    login: try PathPattern("/api/auth/login"),
                    callback: try PathPattern("/api/auth/callback"),
                    provider: .google,
                    clientID: "chat-web",
                    clientSecret: Secret("the secret of chat"),
                    after: "https://chat.example/",
                    accessCookie: "a",
                    refreshCookie: "r"
                )
            )
        }
        return tenant
    }

    // MARK: Requests

    func get(_ path: String, _ fields: HTTPFields = HTTPFields()) async throws -> TestResponse {
        try await client.execute(uri: path, method: .get, headers: fields)
    }

    func post(_ path: String, _ parameters: [String: String]) async throws -> (status: Int, json: JSONObject) {
        let form = FormParameters.text(of: parameters.map { ($0.key, $0.value) })
        return try await client.execute(
            uri: path,
            method: .post,
            headers: [.contentType: "application/x-www-form-urlencoded"],
            body: ByteBuffer(string: form)
        ) { response in
            let json = try JSONParser.parse(Array(response.body.readableBytesView)).object
            return (response.status.code, try #require(json))
        }
    }

    // MARK: What a good gateway sends

    static let appleAuthorization = [
        "response_type": "code", "response_mode": "form_post", "client_id": "com.example.clans.web",
        "redirect_uri": appleRedirect, "scope": "name email", "state": "the-state", "nonce": "the-nonce",
    ]

    static let googleAuthorization = [
        "response_type": "code", "client_id": "chat-web", "redirect_uri": googleRedirect,
        "scope": "openid email profile", "state": "the-state", "nonce": "the-nonce",
        "code_challenge": Base64URL.encode(SHA256.digest(Array(verifier.utf8))), "code_challenge_method": "S256",
    ]

    func appleURL(_ changes: [String: String] = [:]) -> String {
        url("/apple/auth/authorize", Self.appleAuthorization, changes)
    }

    func googleURL(_ changes: [String: String] = [:]) -> String {
        url("/google/auth", Self.googleAuthorization, changes)
    }

    private func url(_ path: String, _ good: [String: String], _ changes: [String: String]) -> String {
        let parameters = good.merging(changes) { $1 }
        return "\(standIn.url)\(path)?\(FormParameters.text(of: parameters.map { ($0.key, $0.value) }))"
    }

    /// A client secret as Apple wants it, but for `changes`.
    func appleSecret(_ changes: JSONObject = [:], kid: String = "KEY", key: SigningKey? = nil) throws -> String {
        var claims: JSONObject = [
            "iss": "TEAM", "sub": "com.example.clans.web", "aud": .string(standIn.appleIssuer),
            "iat": .number(JSONNumber(Int(noon.seconds))), "exp": .number(JSONNumber(Int(noon.seconds) + 300)),
        ]
        for member in changes.members { claims[member.name] = member.value == .null ? nil : member.value }
        let signing = try key ?? SigningKey(pem: Array(standIn.appleP8.utf8))
        return try TokenSigner(signing, algorithm: .es256, keyID: kid).sign(claims)
    }

    func appleGrant(_ changes: [String: String] = [:]) throws -> [String: String] {
        let response = try standIn.redirect(for: appleURL())
        return [
            "grant_type": "authorization_code", "client_id": "com.example.clans.web",
            "client_secret": try appleSecret(), "redirect_uri": Self.appleRedirect,
            "code": try #require(response["code"]),
        ].merging(changes) { $1 }
    }

    func googleGrant(_ changes: [String: String] = [:]) throws -> [String: String] {
        let response = try standIn.redirect(for: googleURL())
        return [
            "grant_type": "authorization_code", "client_id": "chat-web", "client_secret": "the secret of chat",
            "redirect_uri": Self.googleRedirect, "code": try #require(response["code"]), "code_verifier": Self.verifier,
        ].merging(changes) { $1 }
    }
}
