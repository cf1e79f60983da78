import ConfigurationText

/// Reads the admin listener.
enum AdminReader {
    /// - Parameters:
    ///   - address: As read; nil if it has a mistake.
    ///   - listeners: Where the tenants' requests are accepted.
    static func read(
        _ node: DocumentNode,
        _ address: HostPort?,
        _ listeners: [Listener],
        _ session: ReadingSession
    ) -> AdminSettings? {
        let token = node.read(Schema.admin.token).map { Secret($0) }
        if let token, let value = node[Schema.admin.token] {
            session.checkExample(token, name: "\"token\"", value)
        }
        let tokens = readTokens(node, besides: token, session)
        guard let address, let value = node[Schema.admin.address] else { return nil }
        if address.port != 0, listeners.contains(where: { $0.address == address }) {
            session.at(value)
                .error("\(value.shown) already accepts the tenants' requests: give the admin listener another port")
        }
        let tls = node[Schema.admin.tls].flatMap {
            ServerCertificateReader.read($0, Schema.adminTLS, hosts: nil, session)
        }
        let isTokenUnresolved = node[Schema.admin.token].map { $0.scalar == nil } ?? false
        let hasTokens = node[Schema.admin.tokens]?.items.isEmpty == false
        let asksForCertificates = node[Schema.admin.tls]?[Schema.adminTLS.clientCAFile] != nil
        if !address.isLoopback, token?.isEmpty ?? true, !isTokenUnresolved, !hasTokens, !asksForCertificates {
            session.at(value).error(
                "the admin listener can be reached by others and has no token: add \"token\", or listen on 127.0.0.1"
            )
        }
        return AdminSettings(
            address: address,
            token: token.flatMap { $0.isEmpty ? nil : $0 },
            tokens: tokens,
            tls: tls
        )
    }

    /// - Parameter token: The one that may do all, which none of these may be.
    private static func readTokens(
        _ node: DocumentNode,
        besides token: Secret?,
        _ session: ReadingSession
    ) -> [AdminToken] {
        var tokens: [AdminToken] = []
        var lines: [String: Int] = [:]
        for item in node[Schema.admin.tokens]?.items ?? [] {
            let scopes = readScopes(item, session)
            let secret = item[Schema.adminToken.token].flatMap { readSecret($0, token, tokens, session) }
            guard let name = item[Schema.adminToken.name], let scalar = name.filled else { continue }
            guard scalar.text.utf8.count <= 63, scalar.text.utf8.allSatisfy({ $0.isLetterDigit(or: "-_") }) else {
                session.at(name).error("a token's name has 1 to 63 letters, digits, \"-\" and \"_\": rename it")
                continue
            }
            if let line = lines[scalar.text] {
                session.at(name).error(
                    "\(scalar.shown) is the name of two tokens, first in line \(line): rename one, so that the audit "
                        + "tells them apart"
                )
                continue
            }
            lines[scalar.text] = name.position.line
            guard let secret, !scopes.isEmpty else { continue }
            tokens.append(AdminToken(name: scalar.text, token: secret, scopes: scopes))
        }
        return tokens
    }

    private static func readSecret(
        _ node: DocumentNode,
        _ token: Secret?,
        _ others: [AdminToken],
        _ session: ReadingSession
    ) -> Secret? {
        guard let scalar = node.scalar else { return nil }
        guard !scalar.text.isEmpty else {
            return session.at(node).refuse("\"token\" is empty: set one, for example from \"openssl rand -base64 48\"")
        }
        let secret = Secret(scalar.text)
        session.checkExample(secret, name: "\"token\"", node)
        guard secret != token else {
            return session.at(node).refuse(
                "this is gateway.admin.token, which may do all: give each a token of its own"
            )
        }
        if let other = others.first(where: { $0.token == secret }) {
            return session.at(node).refuse("this is the token of \"\(other.name)\" too: give each a token of its own")
        }
        return secret
    }

    private static func readScopes(_ node: DocumentNode, _ session: ReadingSession) -> [AdminScope] {
        var scopes: [AdminScope] = []
        for item in node[Schema.adminToken.allow]?.items ?? [] {
            guard let scalar = item.filled else { continue }
            let fault = "\"allow\" must hold scopes, but \(scalar.shown) is none"
            guard let scope = session.at(item).value(of: try AdminScope(scalar.text), or: fault) else { continue }
            scopes.append(scope)
        }
        return scopes
    }
}
