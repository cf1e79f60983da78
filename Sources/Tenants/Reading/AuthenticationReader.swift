import Verification

/// Reads `authenticate`.
enum AuthenticationReader {
    /// Clocks further apart than this are better set than allowed for.
    private static let usualLeeway = Duration.seconds(300)

    static func read(
        _ node: DocumentNode,
        owner: IssuerOwner,
        _ session: inout ReadingSession
    ) -> Authentication {
        let from = node.given(Schema.authenticate.from).map { TokenSourceReader.read($0, &session) } ?? []
        let leeway = node.read(Schema.authenticate.leeway)
        if leeway > usualLeeway, let place = node[Schema.authenticate.leeway]?.place {
            session.findings.warning(
                place,
                "expired tokens stay good this long: set the clocks and keep the leeway under 5m"
            )
        }
        requireIssuers(node, owner, &session)
        let issuers = readIssuers(node[Schema.authenticate.issuers], owner, &session)
        let policy = VerificationPolicy(
            issuers: issuers.map(\.policy),
            leeway: Double(leeway.components.seconds) + Double(leeway.components.attoseconds) / 1e18,
            requiredClaims: node.read(Schema.authenticate.require)
        )
        var authentication = Authentication(from: from, policy: policy, keySources: issuers.map(\.source))
        authentication.issuerLines = issuers.map(\.line)
        return authentication
    }

    /// Somebody has to vouch for tokens.
    private static func requireIssuers(_ node: DocumentNode, _ owner: IssuerOwner, _ session: inout ReadingSession) {
        guard case .map = node.content, node[Schema.authenticate.issuers] == nil,
            owner.node[Schema.tenant.introspection] == nil
        else { return }
        session.findings.error(
            owner.node.entry(Schema.tenant.authenticate)?.keyPlace ?? node.place,
            "\"authenticate\" lacks \"issuers\": add the list, or \"introspection\" if all tokens are opaque"
        )
    }

    private static func readIssuers(
        _ node: DocumentNode?,
        _ owner: IssuerOwner,
        _ session: inout ReadingSession
    ) -> [TrustedIssuer] {
        var lines: [String: Int] = [:]
        var issuers: [TrustedIssuer] = []
        for item in node?.items ?? [] {
            guard case .map = item.content else { continue }
            for var issuer in IssuerReader(node: item, owner: owner).read(&session) {
                issuer.line = item.place.line
                let name = issuer.policy.issuer
                if let line = lines[name] {
                    session.findings.error(
                        item[Schema.trustedIssuer.issuer]?.place ?? item.place,
                        "this issuer is listed twice, first in line \(line): leave one out"
                    )
                }
                lines[name] = lines[name] ?? item.place.line
                issuers.append(issuer)
            }
        }
        return issuers
    }
}

/// Reads `authenticate.from`.
enum TokenSourceReader {
    static func read(_ node: DocumentNode, _ session: inout ReadingSession) -> [TokenSource] {
        var sources: [TokenSource] = []
        for item in node.items {
            guard let scalar = item.filled else { continue }
            do throws(ScalarText.Problem) {
                let source = try source(scalar.text)
                if sources.contains(source) {
                    session.findings.error(item.place, "\(scalar.shown) is listed twice: leave one out")
                    continue
                }
                if case .query = source {
                    session.findings.warning(
                        item.place,
                        "a token in the URL ends up in logs, histories and Referer: prefer bearer or a cookie"
                    )
                }
                sources.append(source)
            } catch {
                session.findings.error(
                    item.place,
                    "\"from\" must hold bearer, cookie:NAME, query:NAME or header:NAME, but \(scalar.shown) is none: "
                        + error.remedy
                )
            }
        }
        return sources
    }

    private static func source(_ text: String) throws(ScalarText.Problem) -> TokenSource {
        if text == "bearer" { return .bearer }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let kind = parts.first, let name = parts.last else {
            let kinds = ["bearer", "cookie", "query", "header"]
            if let nearest = EditDistance.nearest(to: text, among: kinds) {
                throw ScalarText.Problem(remedy: "did you mean \(nearest == "bearer" ? nearest : nearest + ":NAME")?")
            }
            throw ScalarText.Problem(remedy: "write one of these")
        }
        switch kind {
        case "cookie" where NetworkText.isToken(name): return .cookie(name: name)
        case "query" where isQueryName(name): return .query(name: name)
        case "header" where ["authorization", "cookie"].contains(name.lowercased()):
            throw ScalarText.Problem(remedy: "that field has a form of its own; write bearer or cookie:NAME")
        case "header" where NetworkText.isToken(name): return .header(name: name.lowercased())
        case "cookie", "query", "header":
            throw ScalarText.Problem(remedy: "the name after the colon has letters, digits, \"-\" and \"_\"")
        default: throw ScalarText.Problem(remedy: "write one of these")
        }
    }

    private static func isQueryName(_ name: String) -> Bool {
        NetworkText.isToken(name) && !name.contains(where: { "&#%+".contains($0) })
    }
}
