import Verification

/// Reads a tenant's `issuer`.
struct BuiltInIssuerReader {
    let entry: DocumentNode.Entry
    let tenant: DocumentNode
    /// What the paths of the tenant's requests begin with.
    let pathPrefix: String?

    private var node: DocumentNode { entry.value }

    /// - Returns: nil where a part is missing or no such thing, which was reported.
    func read(_ session: inout ReadingSession) -> BuiltInIssuer? {
        guard case .map = node.content else { return nil }
        let url = ProviderURLReader.read(Schema.issuer.url, in: node, &session)
        let basePath = readBasePath(&session)
        let clients = IssuerClientsReader.read(node.read(Schema.issuer.clients), tenant: tenant, &session)
        let page = readPage(&session)
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
            keysDirectory: node[Schema.issuer.keysDir]?.filled.map { session.resolve($0.text) },
            rotateEvery: node.read(Schema.issuer.rotateEvery),
            basePath: basePath,
            clients: clients,
            page: page
        )
        judgeRotation(issuer, &session)
        judgePage(issuer, &session)
        return issuer
    }

    private func readBasePath(_ session: inout ReadingSession) -> String {
        let basePath = PathPrefixReader.read(Schema.issuer.basePath, in: node, &session) ?? ""
        let place = node[Schema.issuer.basePath]?.place ?? entry.keyPlace
        if let pathPrefix, !EndpointPaths.isAt(pathPrefix, orBelow: basePath) {
            session.findings.error(
                place,
                "no request reaches the issuer's endpoints, which are not below \"path_prefix\": begin "
                    + "\"base_path\" with that"
            )
        } else if EndpointPaths.isHouses(basePath) {
            session.findings.error(
                place,
                "\"base_path\" is below \"/.gatehouse\", which is the gateway's own: choose another path"
            )
        }
        return basePath
    }

    private func readPage(_ session: inout ReadingSession) -> SignInPage {
        var page = SignInPage()
        if let value = node[Schema.issuer.page]?[Schema.page.name], let scalar = value.filled {
            if PrintableText.isPrintable(scalar.text) {
                page.name = scalar.text
            } else {
                session.findings.error(
                    value.place,
                    "\"name\" must be visible text on one line: leave control characters out"
                )
            }
        }
        if let value = node[Schema.issuer.page]?[Schema.page.color], let scalar = value.filled {
            if Self.isColor(scalar.text) {
                page.color = scalar.text
            } else {
                session.findings.error(
                    value.place,
                    "\"color\" must be \"#\" and six hexadecimal digits, but is \(scalar.shown): write it like "
                        + "\"#0a7cff\""
                )
            }
        }
        return page
    }

    private static func isColor(_ text: String) -> Bool {
        text.utf8.count == 7 && text.utf8.first == UInt8(ascii: "#")
            && text.utf8.dropFirst().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    private func judgeRotation(_ issuer: BuiltInIssuer, _ session: inout ReadingSession) {
        guard let value = node[Schema.issuer.rotateEvery] else { return }
        let life = max(issuer.access, issuer.id)
        if issuer.rotateEvery <= life {
            session.findings.error(
                value.place,
                "\"rotate_every\" must be longer than its tokens live, which is \(life.shown): write more, for "
                    + "example 90d"
            )
        } else if issuer.keysDirectory != nil, issuer.rotateEvery != Schema.issuer.rotateEvery.standard {
            // The default is let through: printed configurations have it.
            session.findings.warning(
                value.place,
                "keys in \"keys_dir\" are not replaced by the gateway: leave \"rotate_every\" or \"keys_dir\" out"
            )
        }
    }

    /// Clients send people to the hosted page, which needs somebody who knows them.
    private func judgePage(_ issuer: BuiltInIssuer, _ session: inout ReadingSession) {
        let signIn = tenant[Schema.tenant.signIn]
        let hasProvider =
            signIn?[Schema.signIn.apple]?[Schema.apple.web] != nil
            || signIn?[Schema.signIn.google]?[Schema.google.web] != nil
        guard !hasProvider, issuer.clients.contains(where: { !$0.redirectURIs.isEmpty }) else { return }
        session.findings.warning(
            node.entry(Schema.issuer.clients)?.keyPlace ?? entry.keyPlace,
            "nobody can sign in on the page that clients send people to: add \"web\" to \"apple\" or \"google\" of "
                + "\"sign_in\""
        )
    }
}
