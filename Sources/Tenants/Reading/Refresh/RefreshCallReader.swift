import ConfigurationText
import Verification

/// Reads `refresh.call`.
struct RefreshCallReader {
    /// Methods whose response has no content (RFC 9110 sections 9.3.2 and 9.3.6), or only the request (section 9.3.8).
    private static let withoutTokens = ["HEAD", "CONNECT", "TRACE"]

    /// Used if `refresh_token` is omitted. Not the key's default: only a key that is written promises a refresh token.
    private static let impliedRefreshToken = "/refresh_token"

    private let keys = Schema.refreshCall
    let entry: DocumentNode.Entry

    private var node: DocumentNode { entry.value }

    /// - Returns: nil if it cannot be read, which was reported.
    func read(_ session: ReadingSession) -> RefreshCall? {
        guard let send = node.read(keys.send), let strategy = readStrategy(send, session) else { return nil }
        let access = PointerReader.read(keys.accessToken, in: node, session)
        let refresh = readRefreshToken(session)
        guard let access, let refresh else { return nil }
        if case .builtIn = strategy {
            refuseWhatIsKnown(session)
            return RefreshCall(strategy: strategy, target: nil, accessToken: access, refreshToken: refresh)
        }
        let isBearer = if case .bearer = strategy { true } else { false }
        if isBearer, let entry = node.entry(keys.refreshToken) {
            session.at(entry).error("send bearer does not use refresh tokens: leave \"refresh_token\" out")
        }
        let method = readMethod(send, hasBody: strategy.takesRefreshToken, session)
        guard let method, let target = readTarget(session) else { return nil }
        return RefreshCall(
            strategy: strategy,
            method: method,
            target: target,
            accessToken: access,
            refreshToken: isBearer ? nil : refresh
        )
    }

    /// The strategy, with the client of `oauth2`.
    private func readStrategy(_ send: RefreshCall.Send, _ session: ReadingSession) -> RefreshCall.Strategy? {
        if send != .oauth2 {
            for case let entry? in [node.entry(keys.clientID), node.entry(keys.clientSecret)] {
                session.at(entry).error("\"\(entry.key)\" is for send oauth2 only: leave it out")
            }
        }
        return switch send {
        case .bearer: .bearer
        case .refreshTokenJSON: .refreshTokenJSON
        case .oauth2: readOAuth(session)
        case .builtIn: .builtIn
        }
    }

    private func readOAuth(_ session: ReadingSession) -> RefreshCall.Strategy? {
        guard node[keys.clientID] != nil else {
            return session.at(entry)
                .refuse("send oauth2 lacks \"client_id\": add the client ID that the provider has given the app")
        }
        let id = ClientText.read(keys.clientID, in: node, session)
        guard let value = node[keys.clientSecret] else { return id.map { .oauth2(clientID: $0, clientSecret: nil) } }
        guard value.scalar?.text.isEmpty != true else {
            return session.at(value)
                .refuse("\"client_secret\" is empty: fill it in")
        }
        guard let secret = ClientSecretReader.read(value, session) else { return nil }
        return id.map { .oauth2(clientID: $0, clientSecret: secret) }
    }

    private func readRefreshToken(_ session: ReadingSession) -> JSONPointer? {
        guard let value = node[keys.refreshToken] else { return JSONPointer(Self.impliedRefreshToken) }
        return PointerReader.read(value, name: keys.refreshToken.name, session)
    }

    /// Refuses keys that the built-in issuer does not need. Defaults are accepted: printed configurations have them.
    private func refuseWhatIsKnown(_ session: ReadingSession) {
        let known = [
            keys.method.name: keys.method.default, keys.path.name: nil,
            keys.accessToken.name: keys.accessToken.default, keys.refreshToken.name: Self.impliedRefreshToken,
        ]
        for entry in node.entries {
            guard let known = known[entry.key], let scalar = entry.value.scalar, scalar.text != known else { continue }
            session.at(entry)
                .error("send built_in asks the tenant's own issuer, without a request: leave \"\(entry.key)\" out")
        }
    }

    private func readMethod(_ send: RefreshCall.Send, hasBody: Bool, _ session: ReadingSession) -> String? {
        guard let value = node.given(keys.method), let scalar = value.filled else { return nil }
        let method = scalar.text
        if !NetworkText.isToken(method) {
            session.at(value).error("\(scalar.shown) is not a method: write it like POST")
        } else if method != method.uppercased() {
            session.at(value)
                .error("\(scalar.shown) is not a known method, methods are case-sensitive: write it in capitals")
        } else if Self.withoutTokens.contains(method) {
            session.at(value).error("a response to \(scalar.shown) has no token: use POST")
        } else if method == "GET", hasBody {
            session.at(value).error("send \(send.rawValue) has a body, which \(scalar.shown) has not: use POST")
        } else {
            return method
        }
        return nil
    }

    private func readTarget(_ session: ReadingSession) -> RefreshCall.Target? {
        guard let value = node[keys.path] else {
            return session.at(entry)
                .refuse("\"call\" lacks \"path\": add a path on the backend like /api/auth/refresh, or a full URL")
        }
        guard let scalar = value.filled else { return nil }
        if scalar.text.contains("://"), !scalar.text.hasPrefix("/") {
            return ProviderURLReader.read(value, name: "\"path\"", session).map { .url($0) }
        }
        let fault = "\"path\" must be a path on the backend or a full URL"
        return session.at(value).value(of: try Self.checked(path: scalar.text), or: fault).map { .backend(path: $0) }
    }

    /// A path with or without a query (RFC 3986 sections 3.3 and 3.4), which is sent as it is.
    private static func checked(path text: String) throws(Remedy) -> String {
        let path = text.prefix { $0 != "?" }
        guard text.hasPrefix("/"), !text.hasPrefix("//") else {
            throw Remedy("begin it with one \"/\", or with https://")
        }
        try NetworkText.checkURLCharacters(text)
        guard !text.contains("#") else { throw Remedy("leave \"#\" and what follows it out, it is never sent") }
        guard !path.contains("*") else { throw Remedy("it is one path, and \"*\" stands for many; write it out") }
        guard !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw Remedy("leave its dot segments out")
        }
        return text
    }
}
