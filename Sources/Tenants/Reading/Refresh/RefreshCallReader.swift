import Verification

/// Reads `refresh.call`.
struct RefreshCallReader {
    /// Methods whose answer has no body of its own (RFC 9110 sections 9.3.2 and 9.3.6), or only what was sent (9.3.8).
    private static let withoutTokens = ["HEAD", "CONNECT", "TRACE"]

    /// Taken without the key, and no default of it: that answers have a refresh token is sure only where it is written.
    private static let usualRefreshToken = "/refresh_token"

    private let keys = Schema.refreshCall
    let node: DocumentNode
    /// Where the key `call` stands.
    let place: Place

    /// - Returns: nil where it cannot be read, which was reported.
    func read(_ session: inout ReadingSession) -> RefreshCall? {
        guard let send = node.read(keys.send), let strategy = readStrategy(send, &session) else { return nil }
        let access = PointerReader.read(keys.accessToken, in: node, &session)
        let refresh = readRefreshToken(&session)
        guard let access, let refresh else { return nil }
        if case .builtIn = strategy {
            refuseWhatIsKnown(&session)
            return RefreshCall(strategy: strategy, target: nil, accessToken: access, refreshToken: refresh)
        }
        let isBearer = if case .bearer = strategy { true } else { false }
        if isBearer, let entry = node.entry(keys.refreshToken) {
            session.findings.error(
                entry.keyPlace,
                "send bearer goes without refresh tokens: leave \"refresh_token\" out"
            )
        }
        let method = readMethod(send, hasBody: strategy.takesRefreshToken, &session)
        guard let method, let target = readTarget(&session) else { return nil }
        return RefreshCall(
            strategy: strategy,
            method: method,
            target: target,
            accessToken: access,
            refreshToken: isBearer ? nil : refresh
        )
    }

    /// The strategy, with what only `oauth2` takes.
    private func readStrategy(
        _ send: RefreshCall.Send,
        _ session: inout ReadingSession
    ) -> RefreshCall.Strategy? {
        if send != .oauth2 {
            for case let entry? in [node.entry(keys.clientID), node.entry(keys.clientSecret)] {
                session.findings.error(entry.keyPlace, "\"\(entry.key)\" is for send oauth2 only: leave it out")
            }
        }
        return switch send {
        case .bearer: .bearer
        case .refreshTokenJSON: .refreshTokenJSON
        case .oauth2: readOAuth(&session)
        case .builtIn: .builtIn
        }
    }

    private func readOAuth(_ session: inout ReadingSession) -> RefreshCall.Strategy? {
        guard node[keys.clientID] != nil else {
            return session.refuse(
                place,
                "send oauth2 lacks \"client_id\": add the name that the provider knows the app by"
            )
        }
        let id = ClientText.read(keys.clientID, in: node, &session)
        guard let value = node[keys.clientSecret] else { return id.map { .oauth2(clientID: $0, clientSecret: nil) } }
        guard value.scalar?.text.isEmpty != true else {
            return session.refuse(
                value.place,
                "\"client_secret\" is empty: fill it in, or leave it out if the client has none"
            )
        }
        guard let secret = ClientSecretReader.read(value, &session) else { return nil }
        return id.map { .oauth2(clientID: $0, clientSecret: secret) }
    }

    private func readRefreshToken(_ session: inout ReadingSession) -> JSONPointer? {
        guard let value = node[keys.refreshToken] else { return JSONPointer(Self.usualRefreshToken) }
        return PointerReader.read(value, name: keys.refreshToken.name, &session)
    }

    /// What says the same as the default is let through: printed configurations have it.
    private func refuseWhatIsKnown(_ session: inout ReadingSession) {
        let known = [
            keys.method.name: keys.method.standard, keys.path.name: nil,
            keys.accessToken.name: keys.accessToken.standard, keys.refreshToken.name: Self.usualRefreshToken,
        ]
        for entry in node.entries {
            guard let usual = known[entry.key], let scalar = entry.value.scalar, scalar.text != usual else { continue }
            session.findings.error(
                entry.keyPlace,
                "send built_in asks the tenant's own issuer, without a request: leave \"\(entry.key)\" out"
            )
        }
    }

    private func readMethod(_ send: RefreshCall.Send, hasBody: Bool, _ session: inout ReadingSession) -> String? {
        guard let value = node.given(keys.method), let scalar = value.filled else { return nil }
        let method = scalar.text
        if !NetworkText.isToken(method) {
            session.findings.error(value.place, "\(scalar.shown) is no method: write it like POST")
        } else if method != method.uppercased() {
            session.findings.error(
                value.place,
                "\(scalar.shown) is no usual method, methods are case-sensitive: write it in capitals"
            )
        } else if Self.withoutTokens.contains(method) {
            session.findings.error(value.place, "an answer to \(scalar.shown) holds no token: use POST")
        } else if method == "GET", hasBody {
            session.findings.error(
                value.place,
                "send \(send.rawValue) has a body, which \(scalar.shown) has not: use POST"
            )
        } else {
            return method
        }
        return nil
    }

    private func readTarget(_ session: inout ReadingSession) -> RefreshCall.Target? {
        guard let value = node[keys.path] else {
            return session.refuse(
                place,
                "\"call\" lacks \"path\": add a path on the backend like /api/auth/refresh, or a full URL"
            )
        }
        guard let scalar = value.filled else { return nil }
        if scalar.text.contains("://"), !scalar.text.hasPrefix("/") {
            return ProviderURLReader.read(value, name: "\"path\"", &session).map { .url($0) }
        }
        return session.value(at: value.place, "\"path\" must be a path on the backend or a full URL") {
            () throws(ScalarText.Problem) in
            try Self.checkPath(scalar.text)
            return .backend(path: scalar.text)
        }
    }

    /// A path with or without a query (RFC 3986 sections 3.3 and 3.4) that is sent as it is.
    private static func checkPath(_ text: String) throws(ScalarText.Problem) {
        let path = text.prefix { $0 != "?" }
        guard text.hasPrefix("/"), !text.hasPrefix("//") else {
            throw ScalarText.Problem(remedy: "begin it with one \"/\", or with https://")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }) else {
            throw ScalarText.Problem(remedy: "percent-encode the characters that no URL holds")
        }
        guard !text.contains("#") else {
            throw ScalarText.Problem(remedy: "leave \"#\" and what follows it out, it is never sent")
        }
        guard !path.contains("*") else {
            throw ScalarText.Problem(remedy: "it is one path, and \"*\" stands for many; write it out")
        }
        guard !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw ScalarText.Problem(remedy: "leave its dot segments out")
        }
    }
}
