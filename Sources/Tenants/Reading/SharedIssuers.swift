/// That tenants' own issuers are each one's own: what two of them share, a token of the one may pass by at the other.
struct SharedIssuers {
    private struct First {
        var tenant: String
        var line: Int
        var issuer: BuiltInIssuer
    }

    private var all: [First] = []

    mutating func check(_ tenant: Tenant, _ entry: DocumentNode.Entry, _ session: inout ReadingSession) {
        guard let issuer = tenant.issuer, let node = entry.value[Schema.tenant.issuer] else { return }
        let url = node[Schema.issuer.url]?.place ?? node.place
        checkName(issuer, url, &session)
        checkKeys(issuer, node[Schema.issuer.keysDir]?.place ?? node.place, &session)
        all.append(First(tenant: tenant.name, line: url.line, issuer: issuer))
    }

    /// One URL for two audiences is a way to give one sign-in several backends, and no token is good for both. For one
    /// audience, what is revoked at one tenant is good at the other, since revocations are kept by tenant.
    private func checkName(_ issuer: BuiltInIssuer, _ place: Place, _ session: inout ReadingSession) {
        let first = all.first {
            isSame($0.issuer.url, issuer.url) && isSame($0.issuer.audience, issuer.audience)
        }
        guard let first else { return }
        session.findings.warning(
            place,
            "tenant \"\(first.tenant)\" has this \"url\" and this \"audience\" too (line \(first.line)): tokens of one "
                + "can be good at the other, which does not learn of their revocation; give each a \"url\" or an "
                + "\"audience\" of its own"
        )
    }

    private func checkKeys(_ issuer: BuiltInIssuer, _ place: Place, _ session: inout ReadingSession) {
        guard let directory = issuer.keysDirectory else { return }
        let first = all.first {
            $0.issuer.keysDirectory.map { isSame($0, directory) } ?? false && !isSame($0.issuer.url, issuer.url)
        }
        guard let first else { return }
        session.findings.warning(
            place,
            "tenant \"\(first.tenant)\" has these keys too (line \(first.line)), for an issuer of another \"url\": "
                + "whoever has one issuer's key signs for both; give each a directory of its own"
        )
    }

    private func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}
