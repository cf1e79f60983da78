import ConfigurationText
import Verification

/// Reads what a client of `issuer.clients` authenticates with: one of a secret, keys, or nothing.
struct ClientCredentialsReader {
    struct Credentials {
        var secret: Secret?
        /// The only way of presenting the secret; nil for either.
        var secretMethod: IssuerClient.AuthMethod?
        var keys: IssuerClient.KeysSource?
    }

    /// In bytes. A short secret can be guessed (RFC 6749 section 10.10).
    private static let minimumSecretLength = 16

    let node: DocumentNode

    /// What cannot be used is reported and left out.
    func read(_ session: ReadingSession) -> Credentials {
        let method = node.read(Schema.client.authMethod)
        if let keys = keysEntry { return readKeys(keys, method, session) }
        if method == .privateKey {
            session.at(methodPosition).error(
                "\"private_key_jwt\" needs the client's keys: add \"jwks_url\" or \"jwks_file\""
            )
            return Credentials()
        }
        let secret = readSecret(session)
        if method == IssuerClient.AuthMethod.none, node[Schema.client.secret] != nil {
            session.at(methodPosition).error("a client with a secret has to use it: leave out \"none\", or the secret")
        } else if let method, method != IssuerClient.AuthMethod.none, node[Schema.client.secret] == nil {
            session.at(methodPosition).error("\"\(method.rawValue)\" needs a secret: add \"secret\"")
        }
        return Credentials(secret: secret, secretMethod: method == IssuerClient.AuthMethod.none ? nil : method)
    }

    private var methodPosition: Position { node.entry(Schema.client.authMethod)?.keyPosition ?? node.position }

    private var keysEntry: DocumentNode.Entry? {
        node.entry(Schema.client.jwksURL) ?? node.entry(Schema.client.jwksFile)
    }

    private func readKeys(
        _ entry: DocumentNode.Entry,
        _ method: IssuerClient.AuthMethod?,
        _ session: ReadingSession
    ) -> Credentials {
        if let file = node.entry(Schema.client.jwksFile), file.key != entry.key {
            session.at(file).error("this client has keys from \"jwks_url\" and from \"jwks_file\": keep one of them")
        }
        if let method, method != .privateKey {
            session.at(methodPosition).error(
                "the keys are not used with \"\(method.rawValue)\": write private_key_jwt, or leave \"\(entry.key)\" out"
            )
        }
        if let secret = node.entry(Schema.client.secret) {
            session.at(secret).error("a client with keys has no secret: leave \"secret\" or \"\(entry.key)\" out")
        }
        if node.read(Schema.client.isPublic), let isPublic = node.entry(Schema.client.isPublic) {
            session.at(isPublic).error("a public client has no keys: leave \"public\" or \"\(entry.key)\" out")
        }
        guard let kind = KeySourceName(rawValue: entry.key) else { return Credentials() }
        let sourced = KeySourceReader.read(kind, entry, [], issuer: node, allowsPlainHTTP: false, session)
        switch sourced?.source {
        case .file(let file)?: return Credentials(keys: .file(file))
        case .remote(let remote)?: return Credentials(keys: .remote(remote))
        case .inline?, .builtIn?, nil: return Credentials()
        }
    }

    /// A client without keys has either `secret` or `public: true` (RFC 6749 section 2.1).
    private func readSecret(_ session: ReadingSession) -> Secret? {
        let isPublic = node.read(Schema.client.isPublic)
        guard let value = node[Schema.client.secret] else {
            if !isPublic {
                session.at(node)
                    .error(
                        "this client has no secret: add \"secret\"; only an app or a page, which can keep none, is \"public\""
                    )
            }
            return nil
        }
        if isPublic {
            session.at(node.entry(Schema.client.isPublic)?.keyPosition ?? node.position)
                .error("a public client has no secret: leave \"public\" out")
        }
        guard let scalar = value.scalar else { return nil }
        guard !scalar.text.isEmpty else {
            return session.at(value).refuse("\"secret\" is empty: fill it in")
        }
        guard let text = ClientText.read(Schema.client.secret, in: node, session) else { return nil }
        guard text.utf8.count >= Self.minimumSecretLength else {
            return session.at(value).refuse(
                "\"secret\" has \(text.utf8.count) bytes, a client's needs at least \(Self.minimumSecretLength): "
                    + "generate one with \"openssl rand -base64 32\""
            )
        }
        let secret = Secret(text)
        session.checkExample(secret, name: "\"secret\"", value)
        return secret
    }
}
