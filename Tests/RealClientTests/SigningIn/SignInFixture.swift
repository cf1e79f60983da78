import Demo
import Foundation
import Gateway
import Logging
import Tenants
import TestSupport
import Time
import Verification

/// A running gateway that people sign in at, with the stand-in for Apple and Google, and a Python program that is both
/// the backend and the site of an app.
///
/// Its tenants: `clans` on `clans.localtest`, an issuer with a page, and `chat` on `chat.localtest`, which signs in
/// with cookies, and `shop` on `shop.localtest`, with an account page and passkeys.
final class SignInFixture: Sendable {
    /// The issuer of `clans`; it is reached at another port.
    static let issuer = "https://clans.localtest"
    /// Of the client `clans-server`.
    static let clientSecret = "a-secret-of-a-client-in-these-tests-0123456789"

    fileprivate static let providerKeys = Result { try ProviderKeys.generate() }

    let certificates: CertificateFolder
    let provider: ProviderStandIn
    private let appPort: String
    private let gateway: Gateway
    private let plainPort: Int
    private let securedPort: Int

    fileprivate init(appPort: String, _ provider: ProviderStandIn, _ certificates: CertificateFolder) async throws {
        self.appPort = appPort
        self.provider = provider
        self.certificates = certificates
        // Named by `shop`: passkeys work only where the configuration says.
        let port = try await FreePort.find()
        var configuration = try Self.configuration(
            appPort: appPort,
            securedPort: port,
            certificates,
            keyFile: certificates.file("apple.p8")
        )
        for index in configuration.tenants.indices { provider.apply(to: &configuration.tenants[index]) }
        gateway = Gateway(
            configuration: configuration,
            logger: Logger(label: "sign-in") { _ in SwiftLogNoOpLogHandler() },
            accessLog: .discard,
            sealingKeys: Secret(Data(repeating: 7, count: 32).base64EncodedString())
        )
        let listeners = try await gateway.start().listeners
        guard listeners.count == 2 else { throw Program.Failure("\(listeners.count) listeners") }
        (plainPort, securedPort) = (listeners[0].port, listeners[1].port)
    }

    /// The origin of the app's own site.
    var app: String { "http://app.localtest:\(appPort)" }

    /// Where `clans` has its issuer.
    func clans(secured: Bool = true) -> String { "\(origin("clans", secured: secured))/id" }

    var chat: String { origin("chat", secured: true) }

    var shop: String { origin("shop", secured: true) }

    /// Where the app of a client sends people.
    func authorize(client: String = "clans-app", secured: Bool = true) -> String {
        // The example of RFC 7636 appendix B.
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        let back = app.replacingOccurrences(of: ":", with: "%3A").replacingOccurrences(of: "/", with: "%2F")
        return "\(clans(secured: secured))/oauth2/authorize?response_type=code&client_id=\(client)&state=of-the-app"
            + "&redirect_uri=\(back)%2Fback&scope=openid%20email&code_challenge=\(challenge)&code_challenge_method=S256"
    }

    fileprivate func shutdown() async { await gateway.shutdown() }

    private func origin(_ tenant: String, secured: Bool) -> String {
        secured ? "https://\(tenant).localtest:\(securedPort)" : "http://\(tenant).localtest:\(plainPort)"
    }

    private static func configuration(
        appPort: String,
        securedPort: Int,
        _ certificates: CertificateFolder,
        keyFile: String
    ) throws -> TenantsConfiguration {
        let text = text(appPort: appPort, securedPort: securedPort, certificates, keyFile: keyFile)
        return try TenantsConfiguration.reading(text, environment: ["SECRET": clientSecret])
    }

    private static func shop(_ ordinary: String, _ appPort: String, _ securedPort: Int) -> String {
        """
        \(ordinary)
            authenticate: { from: [bearer, "cookie:shop_access"], issuers: [ { preset: built-in } ] }
            issuer: { url: "https://shop.localtest:\(securedPort)", audience: shop-api, algorithm: ES256,
                      page: { name: Shop, color: "#0a7d5a" } }
            sign_in:
              google: { path: /auth/google, client_ids: [shop.apps.example], then: issue }
              web:
                login: /auth/login
                callback: /auth/callback
                provider: google
                client_id: shop-web.apps.example
                client_secret: "${SECRET}"
                after: "http://app.localtest:\(appPort)/welcome"
                cookies: { access: shop_access, refresh: shop_refresh }
              endpoints: { me: /auth/me }
              account_page: /account
              passkeys: { rp_id: shop.localtest, name: Shop }
        """
    }

    private static func text(
        appPort: String,
        securedPort: Int,
        _ certificates: CertificateFolder,
        keyFile: String
    ) -> String {
        func ordinary(_ name: String) -> String {
            """
              \(name):
                hosts: [\(name).localtest]
                tls:
                  certificate_file: "\(certificates.file("\(name).pem"))"
                  key_file: "\(certificates.file("\(name).key"))"
                backend: { servers: ["http://127.0.0.1:\(appPort)"] }
            """
        }
        return """
            version: 1
            gateway:
              listen: [ { address: "127.0.0.1:0" }, { address: "127.0.0.1:\(securedPort)", tls: true } ]
              threads: 1
              store: "memory:"
              shutdown_grace: 1s
              log: { access: false }
            tenants:
            \(ordinary("clans"))
                authenticate: { from: [bearer], issuers: [ { preset: built-in } ] }
                issuer:
                  url: \(issuer)
                  base_path: /id
                  audience: clans-api
                  algorithm: RS256
                  page: { name: Clan Boards, color: "#5b3df5" }
                  clients:
                    - { id: clans-app, public: true, redirect_uris: ["http://app.localtest:\(appPort)/back"],
                        scopes: [openid, email, profile] }
                    - { id: clans-server, secret: "${SECRET}", redirect_uris: ["http://app.localtest:\(appPort)/back"],
                        post_logout_redirect_uris: ["http://app.localtest:\(appPort)/welcome"],
                        frontchannel_logout_uri: "http://app.localtest:\(appPort)/gone",
                        frontchannel_logout_session_required: true, scopes: [openid, email, profile] }
                sign_in:
                  google: { path: /auth/google, client_ids: [clans.apps.example], then: issue,
                            web: { client_id: clans-web.apps.example, client_secret: "${SECRET}" } }
                  apple: { path: /auth/apple, client_ids: [com.example.clans], nonce: optional, then: issue,
                           web: { client_id: com.example.clans.web, team_id: T, key_id: K,
                                  private_key_file: "\(keyFile)" } }
                accounts: { link_by_email: true }
            \(ordinary("chat"))
                authenticate: { from: [bearer, "cookie:ce_access_token"], issuers: [ { preset: built-in } ] }
                access: [ { path: /api/auth/**, allow: anyone }, { path: /home, allow: anyone } ]
                identity: { headers: { X-User-Id: sub } }
                issuer: { url: "https://chat.localtest", audience: chat-api, algorithm: ES256 }
                sign_in:
                  google: { path: /api/auth/mobile/google, client_ids: [chat.apps.example], then: issue }
                  web:
                    login: /api/auth/login
                    callback: /api/auth/callback
                    provider: google
                    client_id: chat-web.apps.example
                    client_secret: "${SECRET}"
                    after: "http://app.localtest:\(appPort)/welcome"
                    cookies: { access: ce_access_token, refresh: ce_refresh_token }
                  endpoints: { me: /api/auth/me, logout: /api/auth/logout }
            \(shop(ordinary("shop"), appPort, securedPort))
            """
    }
}

/// Runs `test` with a gateway, which is closed afterwards.
func withSignInFixture(_ test: (SignInFixture) async throws -> Void) async throws {
    let certificates = try CertificateFolder.forRealGateway()
    for tenant in ["clans", "chat", "shop"] { try certificates.makeServer(tenant, for: "\(tenant).localtest") }
    let provider = ProviderStandIn(
        keys: try SignInFixture.providerKeys.get(),
        logger: Logger(label: "provider") { _ in SwiftLogNoOpLogHandler() }
    ) {
        UnixTime(Date().timeIntervalSince1970)
    }
    try provider.appleP8.write(toFile: certificates.file("apple.p8"), atomically: true, encoding: .utf8)
    let app = try Program.python.start([Program.script("sign_in_app")])
    try await attempt {
        try await provider.start()
        let fixture = try await SignInFixture(appPort: try await app.line(), provider, certificates)
        try await attempt {
            try await test(fixture)
        } finally: {
            await fixture.shutdown()
        }
    } finally: {
        await provider.shutdown()
        await app.stop()
    }
}
