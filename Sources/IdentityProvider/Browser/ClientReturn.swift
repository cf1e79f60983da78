import Tenants

/// Where a client gets the result. It can only be made from a redirect URI that is registered for the client, compared
/// exactly (RFC 9700 section 2.1), so that no response goes anywhere else.
struct ClientReturn: Sendable, Equatable {
    let clientID: String
    /// As registered.
    let redirectURI: String
    /// The client's own, returned unchanged; nil if there was none.
    let state: String?
    /// How it gets the result.
    var mode = Mode.query

    /// `response_mode`.
    enum Mode: String, Sendable, CaseIterable {
        case query
        /// A form that the browser posts (OAuth 2.0 Form Post Response Mode).
        case formPost = "form_post"
    }

    /// - Returns: Nil if the client is unknown, or the redirect URI is not registered for it.
    init?(clientID: String?, redirectURI: String?, state: String?, clients: [IssuerClient]) {
        guard let clientID, let redirectURI,
            let client = clients.named(clientID),
            let registered = client.redirectURIs.first(where: { $0.utf8.elementsEqual(redirectURI.utf8) }),
            // A query added after a fragment would be lost; redirect URIs must not have one (RFC 6749 section 3.1.2).
            !registered.utf8.contains(UInt8(ascii: "#"))
        else { return nil }
        self.clientID = client.id
        self.redirectURI = registered
        self.state = state
    }

    /// - Parameter issuer: Ours, so that the client can check the origin of the response (RFC 9207).
    func fields(code: String, issuer: String) -> [(name: String, value: String)] {
        fields([("code", code)], issuer)
    }

    func fields(_ error: AuthorizationError, issuer: String) -> [(name: String, value: String)] {
        fields([("error", error.code.rawValue), ("error_description", error.description)], issuer)
    }

    /// The redirect URI with `fields` in its query.
    func url(_ fields: [(name: String, value: String)]) -> String { FormText.url(redirectURI, adding: fields) }

    private func fields(_ fields: [(name: String, value: String)], _ issuer: String) -> [(name: String, value: String)]
    {
        fields + (state.map { [(name: "state", value: $0)] } ?? []) + [("iss", issuer)]
    }

    /// For display: the target host, or the scheme of an app.
    var destination: String { Self.host(of: redirectURI) }

    /// The host of a URL, or the scheme of an app's.
    static func host(of url: String) -> String {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return url }
        let scheme = url[..<colon].lowercased()
        let rest = url[bytes.index(after: colon)...]
        guard scheme == "https" || scheme == "http", rest.hasPrefix("//") else { return scheme }
        return String(rest.dropFirst(2).prefix { !"/?#".contains($0) })
    }

    /// Whether a page of ours may link there: not if the browser would run the URL as a script of that page.
    var isLinkable: Bool {
        let scheme = redirectURI.prefix { $0 != ":" }.lowercased()
        return !["javascript", "data", "vbscript", "blob", "file"].contains(scheme)
    }
}

extension ClientReturn {
    private var scheme: String { redirectURI.prefix { $0 != ":" }.lowercased() }

    /// Whether nobody but the client gets what is sent there: an app's own scheme may be claimed by another app, and a
    /// port of this machine be another program's (RFC 8252 section 8.6).
    ///
    /// - Parameter isPublic: Whether the client has no secret.
    func isSafe(isPublic: Bool) -> Bool { scheme == "https" || scheme == "http" && !isPublic }

    /// - Parameter name: As in the request; nil for the default.
    func mode(_ name: String?) throws(AuthorizationError) -> Mode {
        guard let name else { return .query }
        guard let mode = Mode(rawValue: name) else {
            throw AuthorizationError(.invalidRequest, "response_mode can be query or form_post only")
        }
        if mode == .formPost, scheme != "https", scheme != "http" {
            throw AuthorizationError(.invalidRequest, "response_mode=form_post needs a redirect URI with https")
        }
        return mode
    }

    /// From the store: the redirect URI was checked before it was stored.
    init(kept clientID: String, redirectURI: String, state: String?, mode: Mode = .query) {
        self.mode = mode
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.state = state
    }
}
