/// Reads `sign_in`.
struct SignInReader {
    let node: DocumentNode
    let tenant: DocumentNode
    let from: [TokenSource]
    let refresh: RefreshRules?
    /// What the tenant's `issuer` says; nil where there is none or it cannot be read.
    let issuer: BuiltInIssuer?

    /// What cannot be read is left out, and was reported.
    func read(_ paths: inout EndpointPaths, _ session: inout ReadingSession) -> SignIn {
        let signIn = SignIn(
            apple: node["apple"].flatMap { AppleSignInReader(node: $0).read(&paths, &session) },
            google: node["google"].flatMap { GoogleSignInReader(node: $0).read(&paths, &session) },
            web: node["web"].flatMap {
                WebSignInReader(node: $0, apple: node["apple"], from: from, refresh: refresh).read(&paths, &session)
            },
            endpoints: readEndpoints(&paths, &session)
        )
        judgeIssuer(&session)
        return signIn
    }

    private func readEndpoints(_ paths: inout EndpointPaths, _ session: inout ReadingSession) -> SessionEndpoints {
        var endpoints = SessionEndpoints()
        for (key, endpoint) in [
            ("refresh", \SessionEndpoints.refresh), ("validate", \.validate), ("me", \.me), ("logout", \.logout),
        ] {
            guard let value = node["endpoints"]?[key] else { continue }
            endpoints[keyPath: endpoint] = paths.read(value, name: key, &session)
        }
        return endpoints
    }

    /// Whether who issues tokens has an issuer, and takes its tokens.
    private func judgeIssuer(_ session: inout ReadingSession) {
        guard let need = firstNeed else { return }
        guard tenant["issuer"] != nil else {
            session.findings.error(
                need.place,
                "\(need.what) needs the tenant's own issuer, and it has none: add an \"issuer\" section"
            )
            return
        }
        guard let issuer, !issuer.isTrusted(by: tenant) else { return }
        session.findings.error(
            need.place,
            "\(need.what) needs the tokens of the tenant's own issuer to be good here: add \"preset: built-in\" to "
                + "\"issuers\" of \"authenticate\""
        )
    }

    /// What of the section gives out tokens of the tenant's own issuer, or takes them.
    private var firstNeed: (place: Place, what: String)? {
        for provider in ["apple", "google"] {
            guard let then = node[provider]?["then"], then.scalar?.text == SignIn.Exchange.issue.rawValue else {
                continue
            }
            return (then.place, "then issue")
        }
        if let web = node.entry("web") { return (web.keyPlace, "\"web\"") }
        if let endpoints = node.entry("endpoints"), !endpoints.value.entries.isEmpty {
            return (endpoints.keyPlace, "\"endpoints\"")
        }
        return nil
    }
}

extension BuiltInIssuer {
    /// Whether the tenant takes its tokens; a tenant with nobody to vouch for tokens was reported.
    func isTrusted(by tenant: DocumentNode) -> Bool {
        guard let issuers = tenant["authenticate"]?["issuers"] else { return tenant["introspection"] == nil }
        return issuers.items.contains { $0.text("preset") == "built-in" || $0.text("issuer") == url }
    }
}
