import ConfigurationText
import Verification

/// Reads `authenticate`.
enum AuthenticationReader {
    /// A longer leeway is warned of: the clocks should be set instead.
    private static let recommendedLeeway = Duration.seconds(300)

    static func read(_ node: DocumentNode, owner: IssuerOwner, _ session: ReadingSession) -> Authentication {
        let from = node.given(Schema.authenticate.from).map { TokenSourceReader.read($0, session) } ?? []
        let leeway = node.read(Schema.authenticate.leeway)
        if leeway > recommendedLeeway, let value = node[Schema.authenticate.leeway] {
            session.at(value).warning("expired tokens stay valid this long: set clocks and keep the leeway under 5m")
        }
        requireIssuers(node, owner, session)
        let issuers = readIssuers(node[Schema.authenticate.issuers], owner, session)
        let policy = VerificationPolicy(
            issuers: issuers.map(\.policy),
            leeway: Double(leeway.components.seconds) + Double(leeway.components.attoseconds) / 1e18,
            requiredClaims: node.read(Schema.authenticate.require)
        )
        var authentication = Authentication(from: from, policy: policy, keySources: issuers.map(\.source))
        authentication.issuerLines = issuers.map(\.line)
        return authentication
    }

    /// Requires `issuers` or `introspection`.
    private static func requireIssuers(_ node: DocumentNode, _ owner: IssuerOwner, _ session: ReadingSession) {
        guard case .map = node.content, node[Schema.authenticate.issuers] == nil,
            owner.node[Schema.tenant.introspection] == nil
        else { return }
        session.at(owner.node.entry(Schema.tenant.authenticate)?.keyPosition ?? node.position)
            .error("\"authenticate\" lacks \"issuers\": add the list, or \"introspection\" if all tokens are opaque")
    }

    private static func readIssuers(
        _ node: DocumentNode?,
        _ owner: IssuerOwner,
        _ session: ReadingSession
    ) -> [TrustedIssuer] {
        var places: [String: Position] = [:]
        var issuers: [TrustedIssuer] = []
        for item in node?.items ?? [] {
            guard case .map = item.content else { continue }
            for var issuer in IssuerReader(node: item, owner: owner).read(session) {
                issuer.line = item.position.sourceLine
                let name = issuer.policy.issuer
                if let first = places[name] {
                    let place = session.place(of: first, from: item.position)
                    session.at(item[Schema.trustedIssuer.issuer]?.position ?? item.position)
                        .error("this issuer is listed twice, first in \(place): leave one out")
                }
                places[name] = places[name] ?? item.position
                issuers.append(issuer)
            }
        }
        return issuers
    }
}

/// Reads `authenticate.from`.
enum TokenSourceReader {
    static func read(_ node: DocumentNode, _ session: ReadingSession) -> [TokenSource] {
        var sources: [TokenSource] = []
        for item in node.items {
            guard let scalar = item.filled else { continue }
            let fault = "\"from\" must hold bearer, cookie:NAME, query:NAME or header:NAME, but \(scalar.shown) is none"
            guard let source = session.at(item).value(of: try source(scalar.text), or: fault) else { continue }
            if sources.contains(source) {
                session.at(item).error("\(scalar.shown) is listed twice: leave one out")
                continue
            }
            if case .query = source {
                session.at(item)
                    .warning("a token in the URL ends up in logs, histories and Referer: prefer bearer or a cookie")
            }
            sources.append(source)
        }
        return sources
    }

    private static func source(_ text: String) throws(Remedy) -> TokenSource {
        if text == "bearer" { return .bearer }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let kind = parts.first, let name = parts.last else {
            let kinds = ["bearer", "cookie", "query", "header"]
            if let nearest = EditDistance.nearest(to: text, among: kinds) {
                throw Remedy("did you mean \(nearest == "bearer" ? nearest : nearest + ":NAME")?")
            }
            throw Remedy("write one of these")
        }
        switch kind {
        case "cookie" where NetworkText.isToken(name): return .cookie(name: name)
        case "query" where isQueryName(name): return .query(name: name)
        case "header" where ["authorization", "cookie"].contains(name.lowercased()):
            throw Remedy("that field has a form of its own; write bearer or cookie:NAME")
        case "header" where NetworkText.isToken(name): return .header(name: name.lowercased())
        case "cookie", "query", "header":
            throw Remedy("the name after the colon has letters, digits, \"-\" and \"_\"")
        default: throw Remedy("write one of these")
        }
    }

    private static func isQueryName(_ name: String) -> Bool {
        NetworkText.isToken(name) && !name.contains(where: { "&#%+".contains($0) })
    }
}
