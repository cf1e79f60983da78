import ConfigurationText

/// Reads `introspection`.
struct IntrospectionReader {
    let entry: DocumentNode.Entry
    let tenant: DocumentNode
    /// The tenant's own; nil if it has none.
    let issuer: BuiltInIssuer?

    private var node: DocumentNode { entry.value }

    /// - Returns: nil if it cannot be read, which was reported.
    func read(_ session: ReadingSession) -> Introspection? {
        let url = ProviderURLReader.read(Schema.introspection.url, in: node, allowsQuery: true, session)
        let client = ClientText.read(Schema.introspection.clientID, in: node, session)
        let secret = node[Schema.introspection.clientSecret].flatMap { readSecret($0, session) }
        let name = readIssuer(session)
        if node[Schema.introspection.audiences] == nil { warnOfAudience(session) }
        checkRefresh(session)
        guard let url, let client, let secret else { return nil }
        return Introspection(
            url: url,
            clientID: client,
            clientSecret: secret,
            cache: node.read(Schema.introspection.cache),
            issuer: name,
            audiences: node.read(Schema.introspection.audiences) ?? [],
            line: entry.keyPosition.sourceLine
        )
    }

    private func readSecret(_ node: DocumentNode, _ session: ReadingSession) -> Secret? {
        guard let scalar = node.scalar else { return nil }
        guard !scalar.text.isEmpty else {
            return session.at(node).refuse(
                "\"client_secret\" is empty: fill it in, introspection requires authentication (RFC 7662 section 2.1)"
            )
        }
        return ClientSecretReader.read(node, session)
    }

    /// Refuses the tenant's own issuer: the introspected server could have that issuer's sessions renewed.
    private func readIssuer(_ session: ReadingSession) -> String? {
        guard let value = node[Schema.introspection.issuer], let name = value.scalar?.text, !name.isEmpty else {
            return nil
        }
        if let issuer, issuer.url.utf8.elementsEqual(name.utf8) {
            session.at(value).error(
                "this is the tenant's own issuer, which makes no opaque access tokens: name the one whose server is "
                    + "asked, or leave \"issuer\" out"
            )
        }
        return name
    }

    /// Refuses `refresh` without `issuers`: new tokens are verified by an issuer's keys, and a refresh token is spent even
    /// if that fails.
    private func checkRefresh(_ session: ReadingSession) {
        guard let refresh = tenant.entry(Schema.tenant.refresh),
            tenant[Schema.tenant.authenticate]?[Schema.authenticate.issuers] == nil
        else { return }
        session.at(refresh).error(
            "a refresh has to bring a JWT, and this tenant takes none: add \"issuers\" to \"authenticate\", or leave "
                + "\"refresh\" out"
        )
    }

    private func warnOfAudience(_ session: ReadingSession) {
        session.at(entry).warning(
            "aud is not checked: a token that was issued for another app is accepted here if the server knows it; list "
                + "\"audiences\""
        )
    }
}
