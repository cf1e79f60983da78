import ConfigurationText

/// Reads `sign_in.web`.
struct WebSignInReader {
    let node: DocumentNode
    /// `sign_in.apple`; nil if there is none.
    let apple: DocumentNode?
    /// Whether the tenant has `providers`, all of which the login offers.
    let hasProviders: Bool
    let hosts: [HostPattern]
    /// Where the tenant looks for tokens (`from` of `authenticate`).
    let from: [TokenSource]
    /// The tenant's `refresh`; nil if it has none.
    let refresh: RefreshRules?

    /// - Returns: Nil after an error, which has been reported to `session`.
    func read(_ paths: inout EndpointPaths, _ session: ReadingSession) -> WebSignIn? {
        let login = paths.read(Schema.webSignIn.login, in: node, session)
        let callback = paths.read(Schema.webSignIn.callback, in: node, session)
        let client = hasProviders ? nil : readClient(session)
        if hasProviders { refuseClient(session) }
        let after = node[Schema.webSignIn.after].flatMap { readAfter($0, session) }
        let cookies = node[Schema.webSignIn.cookies].flatMap { readCookies($0, session) }
        guard let login, let callback, hasProviders || client != nil, let after, let cookies else { return nil }
        return WebSignIn(
            login: login,
            callback: callback,
            provider: client?.provider,
            clientID: client?.id,
            clientSecret: client?.secret,
            after: after,
            accessCookie: cookies.access,
            refreshCookie: cookies.refresh,
            cookieRules: cookies.rules
        )
    }

    /// With `providers` each has its client in its own section, Apple and Google in `web` there.
    private func refuseClient(_ session: ReadingSession) {
        let keys = Schema.webSignIn
        for case let entry? in [node.entry(keys.provider), node.entry(keys.clientID), node.entry(keys.clientSecret)] {
            session.at(entry).error(
                "the login offers all \"providers\", each with the client of its own section: leave \"\(entry.key)\" out"
            )
        }
    }

    private func readClient(
        _ session: ReadingSession
    ) -> (provider: SignIn.Provider, id: String, secret: Secret?)? {
        for key in [Schema.webSignIn.provider.name, Schema.webSignIn.clientID.name] where node.entry(named: key) == nil
        {
            session.at(node).error("\"web\" lacks \"\(key)\": add it, or \"providers\" beside \"web\"")
        }
        let provider = node.read(Schema.webSignIn.provider)
        let clientID = ClientText.read(Schema.webSignIn.clientID, in: node, session)
        let secret = provider.flatMap { readSecret($0, session) }
        guard let provider, let clientID else { return nil }
        return (provider.provider, clientID, secret)
    }

    private func readSecret(_ provider: WebProvider, _ session: ReadingSession) -> Secret? {
        switch provider {
        case .google:
            if let value = node[Schema.webSignIn.clientSecret] {
                let secret = ClientSecretReader.read(value, provider: "Google", session)
                return secret?.isEmpty == true ? nil : secret
            }
            if let value = node[Schema.webSignIn.provider] {
                session.at(value).warning(
                    "nobody can sign in with Google in a browser without the client's secret: add \"client_secret\""
                )
            }
        case .apple:
            if let entry = node.entry(Schema.webSignIn.clientSecret) {
                session.at(entry)
                    .error("a key signs for the client at Apple (\"private_key_file\"): leave \"client_secret\" out")
            }
            if apple?[Schema.apple.web] == nil, let value = node[Schema.webSignIn.provider] {
                session.at(value).error(
                    "provider apple signs with the key of \"web\" in \"apple\", which is not there: add that section"
                )
            }
        }
        return nil
    }

    private func readAfter(_ value: DocumentNode, _ session: ReadingSession) -> String? {
        guard let scalar = value.filled else { return nil }
        let fault = "\"after\" must be a page's whole URL"
        return session.at(value).value(of: try ReturnAddress.checked(scalar.text, allowsApps: false), or: fault)
    }

    private func readCookies(_ cookies: DocumentNode, _ session: ReadingSession) -> SessionCookiesReader.Cookies? {
        SessionCookiesReader(node: cookies, hosts: hosts, from: from, refresh: refresh).read(session)
    }
}
