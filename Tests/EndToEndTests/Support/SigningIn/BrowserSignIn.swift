import Demo
import Tenants
import Testing
import Verification

/// A sign-in with cookies, step by step.
struct WebSignInPaths {
    let login: String
    let callback: String

    static let chat = WebSignInPaths(login: "/api/auth/login", callback: "/api/auth/callback")
    static let games = WebSignInPaths(login: "/auth/login", callback: "/auth/callback")
}

extension Browser {
    /// Starts a sign-in with cookies.
    ///
    /// - Returns: The redirect from Google.
    func beginWebSignIn(
        _ paths: WebSignInPaths,
        at standIn: ProviderStandIn,
        as user: ProviderUser = .annaAtGoogle,
        query: String = ""
    ) async throws -> ProviderRedirect {
        let login = try await get(paths.login + query)
        #expect(login.status == 303, "\(login.body.text)")
        standIn.setUser(user, at: .google)
        return try standIn.redirect(for: try #require(login.location))
    }

    /// A whole sign-in with cookies.
    func webSignIn(
        _ paths: WebSignInPaths,
        at standIn: ProviderStandIn,
        as user: ProviderUser = .annaAtGoogle
    ) async throws -> RawResponse {
        let response = try await beginWebSignIn(paths, at: standIn, as: user)
        return try await get("\(Form.target(of: response.url))?\(response.form)")
    }
}

/// A sign-in of a client of the issuer (RFC 6749 section 4.1, RFC 7636).
struct ClientSignIn: Sendable {
    var base: String
    var clientID: String
    var redirectURI: String
    var scope = "openid email profile"
    var state = "a-state-of-the-client"
    var nonce = "a-nonce-of-the-client"
    /// 43 characters at least.
    var verifier = "a-verifier-that-nobody-else-can-know-0123456789"

    static let clans = ClientSignIn(
        base: "/api/v1/users",
        clientID: "clanboards-mobile",
        redirectURI: "clanboards://oauthredirect"
    )
    static let games = ClientSignIn(
        base: "/id",
        clientID: "games-app",
        redirectURI: "games://signed-in",
        scope: "openid email"
    )

    var challenge: String { Base64URL.encode(SHA256.digest(Array(verifier.utf8))) }

    /// - Parameter changes: Replace parameters; an empty text leaves one out.
    func authorizeTarget(_ changes: [String: String] = [:]) -> String {
        var parameters = [
            "response_type": "code", "client_id": clientID, "redirect_uri": redirectURI, "scope": scope,
            "state": state, "nonce": nonce, "code_challenge": challenge, "code_challenge_method": "S256",
        ]
        parameters.merge(changes) { _, changed in changed }
        let text = parameters.filter { !$0.value.isEmpty }.map { "\($0.key)=\(Form.encoded($0.value))" }
        return "\(base)/oauth2/authorize?\(text.sorted().joined(separator: "&"))"
    }

    func tokenForm(_ code: String) -> String {
        Form.text([
            "grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI, "client_id": clientID,
            "code_verifier": verifier,
        ])
    }

    func refreshForm(_ token: String) -> String {
        Form.text(["grant_type": "refresh_token", "refresh_token": token, "client_id": clientID])
    }

    var tokenPath: String { "\(base)/oauth2/token" }
}

extension Browser {
    /// Opens the issuer's page and follows its link to a provider.
    ///
    /// - Returns: The redirect from the provider.
    func begin(
        _ signIn: ClientSignIn,
        at standIn: ProviderStandIn,
        by provider: SignIn.Provider = .apple,
        as user: ProviderUser = .anna,
        changes: [String: String] = [:]
    ) async throws -> ProviderRedirect {
        let page = try await get(signIn.authorizeTarget(changes))
        #expect(page.status == 200, "\(page.location ?? page.body.text)")
        standIn.setUser(user, at: provider)
        return try standIn.redirect(for: try #require(HostedPage(page).link(to: provider)))
    }

    /// Delivers a provider's response to the gateway as a browser does.
    ///
    /// - Returns: The final response of the gateway.
    func bring(_ response: ProviderRedirect) async throws -> RawResponse {
        let target = Form.target(of: response.url)
        guard response.isPost else { return try await get("\(target)?\(response.form)") }
        let posted = try await postFromElsewhere(target, form: response.form)
        #expect(posted.status == 303, "\(posted.body.text)")
        return try await get(Form.target(of: try #require(posted.location)))
    }

    /// A whole sign-in up to the code.
    func code(
        _ signIn: ClientSignIn,
        at standIn: ProviderStandIn,
        by provider: SignIn.Provider = .apple,
        as user: ProviderUser = .anna
    ) async throws -> String {
        let back = try await bring(try await begin(signIn, at: standIn, by: provider, as: user))
        #expect(back.status == 303, "\(back.body.text)")
        let location = try #require(back.location)
        #expect(location.hasPrefix(signIn.redirectURI))
        return try #require(Form.query(of: location)["code"], "\(location)")
    }
}

/// The issuer's page.
struct HostedPage {
    let html: String

    init(_ response: RawResponse) {
        html = response.body.text
    }

    func link(to provider: SignIn.Provider) -> String? {
        guard let start = html.firstRange(of: "<a class=\"button \(provider.rawValue)\" href=\"") else { return nil }
        return String(html[start.upperBound...].prefix { $0 != "\"" }).replacing("&amp;", with: "&")
    }
}
