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
        let url = ProviderURLReader.read(in: node, "url", &session)
        let basePath = readBasePath(&session)
        let clients = node["clients"].map { IssuerClientsReader.read($0, tenant: tenant, &session) } ?? []
        let page = readPage(&session)
        guard let url, let audience = node.text("audience"),
            let algorithm = node.text("algorithm").flatMap(SignatureAlgorithm.init(rawValue:))
        else { return nil }
        var issuer = BuiltInIssuer(
            url: url,
            audience: audience,
            algorithm: algorithm,
            basePath: basePath,
            clients: clients,
            page: page
        )
        issuer.access = node.duration("access") ?? issuer.access
        issuer.id = node.duration("id") ?? issuer.id
        issuer.refresh = node.duration("refresh") ?? issuer.refresh
        issuer.rotateEvery = node.duration("rotate_every") ?? issuer.rotateEvery
        if let directory = node.text("keys_dir"), !directory.isEmpty {
            issuer.keysDirectory = session.resolve(directory)
        }
        judgeRotation(issuer, &session)
        judgePage(issuer, &session)
        return issuer
    }

    private func readBasePath(_ session: inout ReadingSession) -> String {
        let basePath = node["base_path"].flatMap { PathPrefixReader.read($0, name: "base_path", &session) } ?? ""
        let place = node["base_path"]?.place ?? entry.keyPlace
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
        if let value = node["page"]?["name"], let scalar = value.scalar, !scalar.text.isEmpty {
            if PrintableText.isPrintable(scalar.text) {
                page.name = scalar.text
            } else {
                session.findings.error(
                    value.place,
                    "\"name\" must be visible text on one line: leave control characters out"
                )
            }
        }
        if let value = node["page"]?["color"], let scalar = value.scalar, !scalar.text.isEmpty {
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
        guard let value = node["rotate_every"] else { return }
        let life = max(issuer.access, issuer.id)
        if issuer.rotateEvery <= life {
            session.findings.error(
                value.place,
                "\"rotate_every\" must be longer than its tokens live, which is \(life.shown): write more, for "
                    + "example 90d"
            )
        } else if issuer.keysDirectory != nil, issuer.rotateEvery != .seconds(90 * 86_400) {
            // The default is let through: printed configurations have it.
            session.findings.warning(
                value.place,
                "keys in \"keys_dir\" are not replaced by the gateway: leave \"rotate_every\" or \"keys_dir\" out"
            )
        }
    }

    /// Clients send people to the hosted page, which needs somebody who knows them.
    private func judgePage(_ issuer: BuiltInIssuer, _ session: inout ReadingSession) {
        let hasProvider = ["apple", "google"].contains { tenant["sign_in"]?[$0]?["web"] != nil }
        guard !hasProvider, issuer.clients.contains(where: { !$0.redirectURIs.isEmpty }) else { return }
        session.findings.warning(
            node.entry("clients")?.keyPlace ?? entry.keyPlace,
            "nobody can sign in on the page that clients send people to: add \"web\" to \"apple\" or \"google\" of "
                + "\"sign_in\""
        )
    }
}
