import ConfigurationText

/// Reads client identifiers and secrets of OAuth (RFC 6749 appendices A.1 and A.2).
enum ClientText {
    static func read(_ key: Key<String?>, in section: DocumentNode, _ session: ReadingSession) -> String? {
        section[key].flatMap { read($0, name: key.name, session) }
    }

    /// - Returns: nil if it is empty or malformed, which was reported.
    static func read(_ node: DocumentNode, name: String, _ session: ReadingSession) -> String? {
        guard let scalar = node.filled else { return nil }
        guard scalar.text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            return session.at(node).refuse(
                "\"\(name)\" has a character that OAuth allows in none (RFC 6749 appendix A): use visible ASCII"
            )
        }
        return scalar.text
    }
}

/// Reads the secret of the gateway's client at a provider.
enum ClientSecretReader {
    /// - Returns: The empty secret for an empty text, with a warning; nil if it cannot be read, which was reported.
    static func read(_ node: DocumentNode, provider: String, _ session: ReadingSession) -> Secret? {
        guard let scalar = node.scalar else { return nil }
        guard !scalar.text.isEmpty else {
            session.at(node).warning(
                "\"client_secret\" is empty: nobody can sign in with \(provider) in a browser until it is filled in"
            )
            return Secret([])
        }
        return read(node, session)
    }

    /// - Returns: nil if it is empty or cannot be read, which was reported.
    static func read(_ node: DocumentNode, _ session: ReadingSession) -> Secret? {
        guard let text = ClientText.read(node, name: Schema.introspection.clientSecret.name, session) else {
            return nil
        }
        let secret = Secret(text)
        session.checkExample(secret, name: "\"client_secret\"", node)
        return secret
    }
}
