import ConfigurationText
import Verification

/// Reads a tenant's `issuer`.
struct BuiltInIssuerReader {
    let entry: DocumentNode.Entry
    let tenant: DocumentNode
    /// The prefix of the tenant's paths.
    let pathPrefix: String?

    private var node: DocumentNode { entry.value }

    /// - Returns: nil if a part is missing or malformed, which was reported.
    func read(_ session: ReadingSession) -> BuiltInIssuer? {
        guard case .map = node.content else { return nil }
        let url = ProviderURLReader.read(Schema.issuer.url, in: node, session)
        let basePath = readBasePath(session)
        let clients = IssuerClientsReader.read(node.read(Schema.issuer.clients), tenant: tenant, session)
        let page = SignInPageReader.read(node[Schema.issuer.page], session)
        guard let url, let audience = node.read(Schema.issuer.audience),
            let algorithm = node.read(Schema.issuer.algorithm)
        else { return nil }
        let issuer = BuiltInIssuer(
            url: url,
            audience: audience,
            algorithm: algorithm,
            access: node.read(Schema.issuer.access),
            id: node.read(Schema.issuer.id),
            refresh: node.read(Schema.issuer.refresh),
            singleSignOn: node.read(Schema.issuer.singleSignOn),
            keysDirectory: node[Schema.issuer.keysDir]?.filled.map { session.resolve($0.text) },
            givenKeys: GivenIssuerKeysReader(node: node, algorithm: algorithm).read(session),
            rotateEvery: node.read(Schema.issuer.rotateEvery),
            basePath: basePath,
            refreshRotation: node.read(Schema.issuer.refreshRotation),
            refreshFormat: node.read(Schema.issuer.refreshFormat),
            clients: clients,
            page: page
        )
        checkRotation(issuer, session)
        checkRefreshRotation(issuer, session)
        checkPage(issuer, session)
        return issuer
    }

    private func readBasePath(_ session: ReadingSession) -> String {
        let basePath = PathPrefixReader.read(Schema.issuer.basePath, in: node, session) ?? ""
        let position = node[Schema.issuer.basePath]?.position ?? entry.keyPosition
        if let pathPrefix, !EndpointPaths.isAt(pathPrefix, orBelow: basePath) {
            session.at(position).error(
                "no request reaches the issuer's endpoints, which are not below \"path_prefix\": begin \"base_path\" "
                    + "with that"
            )
        } else if EndpointPaths.isReserved(basePath) {
            session.at(position)
                .error("\"base_path\" is below \"/.gatehouse\", which is the gateway's own: choose another path")
        }
        return basePath
    }

    /// Where its keys are, if the gateway does not make them.
    private var keysEntry: DocumentNode.Entry? {
        node.entry(Schema.issuer.keysDir) ?? node.entry(Schema.issuer.key) ?? node.entry(Schema.issuer.keyFile)
            ?? node.entry(Schema.issuer.keyFiles)
    }

    private func checkRotation(_ issuer: BuiltInIssuer, _ session: ReadingSession) {
        guard let value = node[Schema.issuer.rotateEvery] else { return }
        let life = max(issuer.access, issuer.id)
        if issuer.rotateEvery <= life {
            session.at(value).error(
                "\"rotate_every\" must be longer than its tokens live, which is \(life.shown): write more, for example "
                    + "90d"
            )
        } else if let source = keysEntry, issuer.rotateEvery != Schema.issuer.rotateEvery.default {
            // The default is accepted: printed configurations have it.
            session.at(value).warning(
                "keys in \"\(source.key)\" are not replaced by the gateway: leave \"rotate_every\" or \"\(source.key)\" out"
            )
        }
    }

    /// Refresh tokens of public clients must be rotated or bound to a key (RFC 9700 section 2.2.2).
    private func checkRefreshRotation(_ issuer: BuiltInIssuer, _ session: ReadingSession) {
        guard issuer.refreshRotation == .off, let value = node[Schema.issuer.refreshRotation],
            let client = issuer.clients.first(where: { $0.isPublic && !$0.needsProof && !$0.bindsToCertificate })
        else { return }
        session.at(value).warning(
            "a stolen refresh token of the public client \"\(client.id)\" stays good until its session ends: write "
                + "\"enforce\" or \"log\", or bind its tokens with \"dpop_bound\" or \"certificate_bound\""
        )
    }

    /// Clients send people to the hosted page, which needs an identity provider.
    private func checkPage(_ issuer: BuiltInIssuer, _ session: ReadingSession) {
        let signIn = tenant[Schema.tenant.signIn]
        let hasProvider =
            signIn?[Schema.signIn.apple]?[Schema.apple.web] != nil
            || signIn?[Schema.signIn.google]?[Schema.google.web] != nil
            || signIn?[Schema.signIn.providers]?.entries.isEmpty == false
        guard !hasProvider, issuer.clients.contains(where: { !$0.redirectURIs.isEmpty }) else { return }
        session.at(node.entry(Schema.issuer.clients)?.keyPosition ?? entry.keyPosition).warning(
            "nobody can sign in on the page that clients send people to: add \"web\" to \"apple\" or \"google\" of "
                + "\"sign_in\", or \"providers\" there"
        )
    }
}
