import Testing
import Time
import Verification

@testable import IdentityProvider

extension ExchangeFixture {
    /// Begins a session of an account, as an exchange does.
    func begin(_ subject: String = "001.apple", at now: UnixTime = start) async throws -> IssuedTokens {
        let account = try await accounts.signIn(
            ProviderIdentity(provider: .apple, subject: subject, email: "alice@example.org", isEmailVerified: true),
            givenName: "Alice",
            at: now
        )
        return try await sessions.start(
            SessionOpening(subject: account.subject, claims: account.tokenClaims(nil)),
            at: now
        )
    }

    /// - Parameters:
    ///   - bearer: An access token in its field.
    ///   - cookies: By name; the access token's is also the presented token if there is no bearer.
    ///   - body: Nil for none.
    func ask(
        _ endpoint: Endpoint,
        _ method: String = "POST",
        bearer: String? = nil,
        cookies: [String: String] = [:],
        body: JSONObject? = nil,
        origin: String? = nil,
        fetchSite: String? = nil,
        at now: UnixTime = start
    ) async -> EndpointResult {
        let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let fromCookie = cookies["ce_access_token"].map { PresentedToken(token: $0, cookie: "ce_access_token") }
        let tokens = [bearer.map { PresentedToken(token: $0) }, fromCookie].compactMap { $0 }
        return await own.respond(
            to:
                EndpointRequest(
                    endpoint: endpoint,
                    method: method,
                    authority: "chat.localtest",
                    fields: EndpointRequest.Fields(
                        contentType: body == nil ? nil : "application/json",
                        cookies: pairs.isEmpty ? [] : [pairs.joined(separator: "; ")],
                        origin: origin,
                        secFetchSite: fetchSite
                    ),
                    presentedToken: tokens.first,
                    furtherTokens: Array(tokens.dropFirst()),
                    body: body.map { JSONWriter.bytes(of: $0) } ?? [],
                    now: now
                )
        )
    }

    func isLive(_ tokens: IssuedTokens, at now: UnixTime = start) async throws -> Bool {
        try await sessions.session(tokens.sessionID, at: now) != nil
    }
}

extension IssuedTokens {
    /// The browser's cookies.
    var cookies: [String: String] {
        get throws { try ["ce_access_token": accessToken, "ce_refresh_token": refresh] }
    }
}

extension [EndpointResponse.Field] {
    /// The values of the `Set-Cookie` fields.
    var setCookies: [String] { filter { $0.name == "Set-Cookie" }.map(\.value) }

    /// Whether both cookies are cleared.
    var clearsCookies: Bool {
        setCookies.map { $0.prefix { $0 != ";" } } == ["ce_access_token=", "ce_refresh_token="]
            && setCookies.allSatisfy { $0.hasSuffix("Max-Age=0") }
    }
}
