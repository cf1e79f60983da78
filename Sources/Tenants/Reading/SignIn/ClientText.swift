/// Reads what OAuth clients are known by (RFC 6749 appendices A.1 and A.2).
enum ClientText {
    static func read(_ key: Key<String?>, in section: DocumentNode, _ session: inout ReadingSession) -> String? {
        section[key].flatMap { read($0, name: key.name, &session) }
    }

    /// - Returns: nil for a text that is empty, or that was reported.
    static func read(_ node: DocumentNode, name: String, _ session: inout ReadingSession) -> String? {
        guard let scalar = node.filled else { return nil }
        guard scalar.text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            return session.refuse(
                node.place,
                "\"\(name)\" has a character that OAuth allows in none (RFC 6749 appendix A): use visible ASCII"
            )
        }
        return scalar.text
    }
}

/// Reads the gateway's secret at a provider.
enum ClientSecretReader {
    /// - Returns: The empty secret for an empty text, which is a warning; nil where it cannot be read, which was
    ///   reported.
    static func read(_ node: DocumentNode, provider: String, _ session: inout ReadingSession) -> Secret? {
        guard let scalar = node.scalar else { return nil }
        guard !scalar.text.isEmpty else {
            session.findings.warning(
                node.place,
                "\"client_secret\" is empty: nobody can sign in with \(provider) in a browser until it is filled in"
            )
            return Secret([])
        }
        return read(node, &session)
    }

    /// - Returns: nil where it is empty, or cannot be read, which was reported.
    static func read(_ node: DocumentNode, _ session: inout ReadingSession) -> Secret? {
        guard let text = ClientText.read(node, name: Schema.introspection.clientSecret.name, &session) else {
            return nil
        }
        let secret = Secret(text)
        session.judgeExample(secret, name: "\"client_secret\"", node.place)
        return secret
    }
}
