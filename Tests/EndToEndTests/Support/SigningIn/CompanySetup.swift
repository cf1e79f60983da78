import Demo
import Foundation
import TestSupport
import Testing
import Time
import Verification

/// A tenant whose providers are the stand-in for named ones: `company` with OpenID, and `code` with OAuth 2 alone.
struct CompanySetup: Sendable {
    static let host = "company.localtest"
    static let otherHost = "other.localtest"
    static let web = WebSignInPaths(login: "/login", callback: "/login/callback")
    static let app = ClientSignIn(
        base: "",
        clientID: "company-app",
        redirectURI: "company://signed-in",
        scope: "openid email"
    )

    /// Of the provider `company`.
    var issuer = "{company}"
    /// Further keys of the provider `company`.
    var company = ""
    /// Further keys of the provider `code`.
    var code = ""
    /// Further keys of the issuer.
    var issuerKeys = ""
    /// Of `web`.
    var after = "https://company.example/home"
    /// Further keys of `sign_in`.
    var signIn = ""
    /// Further keys of the tenant.
    var tenant = ""
    /// Keys of `gateway`.
    var gateway = ""

    var setup: GatewaySetup {
        let text = """
            company:
              hosts: [\(Self.host), \(Self.otherHost)]
              backend: { servers: ["{backend}"] }
              authenticate: { from: [bearer, "cookie:c_access"], issuers: [ { preset: built-in } ] }
              access:
                - { path: /public/**, allow: anyone }
                - { path: /editors/**, allow: { roles: [editor] } }
              issuer:
                url: https://company.localtest
                audience: company-api
                algorithm: ES256
                clients: [ { id: company-app, public: true, redirect_uris: ["company://signed-in"], scopes: [openid, email] } ]
            \(Self.lines(issuerKeys, by: 4))
              identity: { headers: { X-User-Id: sub, X-User-Email: email, X-User-Role: role } }
              sign_in:
                providers:
                  company:
                    issuer: "\(issuer)"
                    client_id: \(CompanyStandIn.clientID)
                    client_secret: \(CompanyStandIn.clientSecret)
                    label: Company & Sons
                    exchange: { path: /auth/company, client_ids: [company-ios], then: issue }
            \(Self.lines(company, by: 8))
                  code:
                    oauth2:
                      authorize_url: "{company_url}/code/authorize"
                      token_url: "{company_url}/code/token"
                      userinfo_url: "{company_url}/code/user"
                      emails_url: "{company_url}/code/user/emails"
                    subject: /id
                    client_id: \(CompanyStandIn.clientID)
                    client_secret: \(CompanyStandIn.clientSecret)
                    scopes: ["read:user", "user:email"]
            \(Self.lines(code, by: 8))
                web:
                  login: /login
                  callback: /login/callback
                  after: "\(after)"
                  cookies: { access: c_access, refresh: c_refresh }
                endpoints: { me: /me, refresh: /refresh, logout: /logout }
            \(Self.lines(signIn, by: 4))
              refresh:
                on_401: true
                from: "cookie:c_refresh"
                call: { send: built_in }
                deliver: { cookies: { c_access: /access_token, c_refresh: /refresh_token } }
            \(Self.lines(tenant, by: 2))
            """
        return GatewaySetup(gateway: gateway, others: text, sealingKeys: GatewaySetup.sampleSealingKey)
    }

    private static func lines(_ text: String, by width: Int) -> String {
        text.split(separator: "\n").map { String(repeating: " ", count: width) + $0 }.joined(separator: "\n")
    }

    /// Keys are made once for the whole run: RSA takes its time.
    private static let keys = Result {
        (try SigningKey.generate(.rsa(bits: 2048)), try SigningKey.generate(.rsa(bits: 2048)))
    }

    /// Runs `test` with the gateway and the stand-in.
    ///
    /// - Parameters:
    ///   - key: Signs the ID tokens; nil: an RSA key, with RS256.
    ///   - prepare: What the stand-in does from the gateway's start on, when it fetches keys.
    func run(
        key: (key: SigningKey, algorithm: SignatureAlgorithm)? = nil,
        values: [String: String] = [:],
        prepare: (CompanyStandIn) -> Void = { _ in },
        _ test: (GatewayFixture, CompanyStandIn) async throws -> Void
    ) async throws {
        let (own, stranger) = try Self.keys.get()
        let standIn = CompanyStandIn(
            key: key?.key ?? own,
            algorithm: key?.algorithm ?? .rs256,
            stranger: stranger,
            logger: LogCapture().logger()
        ) { UnixTime(Date().timeIntervalSince1970) }
        try await standIn.start()
        prepare(standIn)
        try await attempt {
            let all = values.merging(["company": standIn.issuer, "company_url": standIn.url]) { $1 }
            try await withGateway(setup, values: all) { try await test($0, standIn) }
        } finally: {
            await standIn.shutdown()
        }
    }
}

extension GatewayFixture {
    /// The tenant of ``CompanySetup``.
    var company: AppClient {
        AppClient(host: CompanySetup.host) { try await self.send($0, method: $1) }
    }

    /// The same tenant at its other host.
    var companyElsewhere: AppClient {
        AppClient(host: CompanySetup.otherHost) { try await self.send($0, method: $1) }
    }
}

extension Browser {
    /// Opens the login and goes to a provider.
    ///
    /// - Returns: The provider's response, to be brought back.
    func beginAtCompany(
        by provider: String = "company",
        at standIn: CompanyStandIn,
        query: String = ""
    ) async throws -> ProviderRedirect {
        let login = try await get("/login?provider=\(provider)\(query)")
        #expect(login.status == 303, "\(login.body.text)")
        return try standIn.redirect(for: try #require(login.location))
    }

    /// A whole sign-in with cookies.
    func signInAtCompany(by provider: String = "company", at standIn: CompanyStandIn) async throws -> RawResponse {
        try await bring(try await beginAtCompany(by: provider, at: standIn))
    }
}
