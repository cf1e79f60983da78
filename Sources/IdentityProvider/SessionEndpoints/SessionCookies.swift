import Tenants
import Time

/// The cookies in which browsers keep a tenant's sessions. No script can read them, and unless the tenant wants it no other
/// site's form sends them (`HttpOnly; Secure; SameSite=Lax`).
struct SessionCookies: Sendable {
    /// The names that may hold an access token; the first is the one that is set.
    private let access: [String]
    private let refresh: [String]
    private let web: WebSignIn?
    /// Seconds past its expiry for which an access token can be refreshed, and its cookie is kept.
    private let grace: Int

    init(_ tenant: Tenant) {
        var access: [String] = []
        var refresh: [String] = []
        web = tenant.signIn?.web
        if let web {
            access.append(web.accessCookie)
            refresh.append(web.refreshCookie)
        }
        for case .cookie(let name) in tenant.authenticate.from where !access.contains(name) { access.append(name) }
        if case .cookie(let name)? = tenant.refresh?.source, !refresh.contains(name) { refresh.append(name) }
        self.access = access
        self.refresh = refresh
        grace = Int(tenant.refreshGrace.secondsAsDouble)
    }

    /// A browser's refresh token, with its cookie's name.
    func refreshToken(of request: EndpointRequest) -> PresentedToken? {
        for name in refresh {
            if let token = RequestCookies.value(of: name, in: request.fields.cookies), !token.isEmpty {
                return PresentedToken(token: token, cookie: name)
            }
        }
        return nil
    }

    /// A browser's access token, whatever else it sends, with its cookie's name.
    func accessToken(of request: EndpointRequest) -> PresentedToken? {
        for name in access {
            if let token = RequestCookies.value(of: name, in: request.fields.cookies), !token.isEmpty {
                return PresentedToken(token: token, cookie: name)
            }
        }
        return nil
    }

    /// Replaces the previous tokens.
    ///
    /// - Parameters:
    ///   - cookie: The cookie that held the refresh token.
    func fields(for tokens: IssuedTokens, refreshCookie cookie: String, at now: UnixTime) -> [EndpointResponse.Field] {
        var fields: [EndpointResponse.Field] = []
        if let name = access.first {
            fields += field(name, tokens.accessToken, maxAge: tokens.expiresIn + grace)
        }
        if let token = tokens.refreshToken {
            let seconds = max(Int(tokens.sessionExpiresAt - now), 0)
            fields += field(cookie, token, maxAge: seconds)
        }
        return fields
    }

    /// A browser replaces a cookie only by one of the same domain: one of the host's own, from before there was a domain,
    /// would be sent beside it.
    private func field(_ name: String, _ value: String, maxAge: Int) -> [EndpointResponse.Field] {
        let rules = web.flatMap { $0.sets(name) ? $0.cookieRules : nil } ?? CookieRules()
        let own = rules.hostRules.map { SetCookie.field(name, "", maxAge: 0, rules: $0) }
        return [own, SetCookie.field(name, value, maxAge: maxAge, rules: rules)].compactMap(\.self)
    }

    /// Clears all of them for a browser that has one, and that it has just signed in; nothing for other clients.
    func fieldsThatClear(_ request: EndpointRequest) -> [EndpointResponse.Field] {
        let names = access + refresh
        guard names.contains(where: { RequestCookies.value(of: $0, in: request.fields.cookies) != nil }) else {
            return []
        }
        return names.flatMap { field($0, "", maxAge: 0) }
            + SignInMark.fieldsThatClear(request)
    }
}
