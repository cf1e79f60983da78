/// Reads `sign_in.web`.
struct WebSignInReader {
    let node: DocumentNode
    /// `sign_in.apple`, if it is there.
    let apple: DocumentNode?
    let from: [TokenSource]
    let refresh: RefreshRules?

    /// - Returns: nil where it cannot be read, which was reported.
    func read(_ paths: inout EndpointPaths, _ session: inout ReadingSession) -> WebSignIn? {
        let login = paths.read(Schema.webSignIn.login, in: node, &session)
        let callback = paths.read(Schema.webSignIn.callback, in: node, &session)
        let provider = node.read(Schema.webSignIn.provider)
        let clientID = ClientText.read(Schema.webSignIn.clientID, in: node, &session)
        let secret = provider.flatMap { readSecret($0, &session) }
        let after = node[Schema.webSignIn.after].flatMap { readAfter($0, &session) }
        let cookies = node[Schema.webSignIn.cookies].flatMap { readCookies($0, &session) }
        guard let login, let callback, let provider, let clientID, let after, let cookies else { return nil }
        return WebSignIn(
            login: login,
            callback: callback,
            provider: provider,
            clientID: clientID,
            clientSecret: secret,
            after: after,
            accessCookie: cookies.access,
            refreshCookie: cookies.refresh
        )
    }

    private func readSecret(_ provider: SignIn.Provider, _ session: inout ReadingSession) -> Secret? {
        switch provider {
        case .google:
            if let value = node[Schema.webSignIn.clientSecret] {
                let secret = ClientSecretReader.read(value, provider: "Google", &session)
                return secret?.isEmpty == true ? nil : secret
            }
            if let place = node[Schema.webSignIn.provider]?.place {
                session.findings.warning(
                    place,
                    "nobody can sign in with Google in a browser without the client's secret: add \"client_secret\""
                )
            }
        case .apple:
            if let entry = node.entry(Schema.webSignIn.clientSecret) {
                session.findings.error(
                    entry.keyPlace,
                    "a key signs for the client at Apple (\"private_key_file\"): leave \"client_secret\" out"
                )
            }
            if apple?[Schema.apple.web] == nil, let place = node[Schema.webSignIn.provider]?.place {
                session.findings.error(
                    place,
                    "provider apple signs with the key of \"web\" in \"apple\", which is not there: add that section"
                )
            }
        }
        return nil
    }

    private func readAfter(_ value: DocumentNode, _ session: inout ReadingSession) -> String? {
        guard let scalar = value.filled else { return nil }
        return session.value(at: value.place, "\"after\" must be a page's whole URL") { () throws(ScalarText.Problem) in
            try ReturnAddress.check(scalar.text, allowsApps: false)
            return scalar.text
        }
    }

    private func readCookies(
        _ cookies: DocumentNode,
        _ session: inout ReadingSession
    ) -> (access: String, refresh: String)? {
        let access = readCookie(Schema.sessionCookies.access, cookies, &session)
        let refresh = readCookie(Schema.sessionCookies.refresh, cookies, &session)
        guard let access, let refresh else { return nil }
        guard access != refresh else {
            if let place = cookies[Schema.sessionCookies.refresh]?.place {
                session.findings.error(place, "\"refresh\" has the name of \"access\": give each cookie one of its own")
            }
            return nil
        }
        if let place = cookies[Schema.sessionCookies.access]?.place { judge(access: access, place, &session) }
        if case .cookie(let name)? = self.refresh?.source, name != refresh,
            let place = cookies[Schema.sessionCookies.refresh]?.place
        {
            session.findings.warning(
                place,
                "\"from\" of the tenant's \"refresh\" names another cookie, so that these sessions are not renewed: "
                    + "use one name"
            )
        }
        return (access, refresh)
    }

    private func readCookie(
        _ key: Key<String?>,
        _ cookies: DocumentNode,
        _ session: inout ReadingSession
    ) -> String? {
        guard let value = cookies[key], let scalar = value.filled else { return nil }
        guard NetworkText.isToken(scalar.text) else {
            return session.refuse(
                value.place,
                "\"\(key.name)\" is no cookie's name (RFC 6265 section 4.1.1): use letters, digits, \"-\" and \"_\""
            )
        }
        return scalar.text
    }

    private func judge(access: String, _ place: Place, _ session: inout ReadingSession) {
        if !from.contains(.cookie(name: access)) {
            session.findings.warning(
                place,
                "no token is taken from this cookie: add \"cookie:NAME\" with its name to \"from\" of \"authenticate\""
            )
        } else if let refresh, !refresh.delivery.cookies.contains(where: { $0.name == access }) {
            session.findings.warning(
                place,
                "a refresh does not renew this cookie: add it to \"cookies\" of \"deliver\""
            )
        }
    }
}
