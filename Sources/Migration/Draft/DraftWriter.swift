/// Writes a draft as the text of tenants.yaml.
package struct DraftWriter {
    var lines = YAMLLines()

    package static func text(of draft: Draft) -> String {
        var writer = DraftWriter()
        writer.write(draft)
        return writer.lines.text
    }

    private mutating func write(_ draft: Draft) {
        for comment in draft.heading { lines.comment(0, comment) }
        if !draft.heading.isEmpty { lines.line(0, "") }
        lines.line(0, "version: 1")
        if !draft.listeners.isEmpty || draft.store != nil || !draft.trustedProxies.isEmpty { writeGateway(draft) }
        lines.line(0, "tenants:")
        for tenant in draft.tenants { write(tenant) }
        writeNotes(draft.notes)
    }

    private mutating func writeGateway(_ draft: Draft) {
        lines.line(0, "gateway:")
        if !draft.listeners.isEmpty {
            lines.line(2, "listen:")
            for listener in draft.listeners {
                let address = YAMLLines.scalar(listener.address.text)
                let tls = listener.isTLS ? ", tls: true" : ""
                lines.line(4, "- { address: \(address)\(tls) }", comment: Self.comment(listener.address))
            }
        }
        if let origin = draft.redirectsToHTTPS { lines.line(2, "redirect_https: true", comment: "\(origin)") }
        write(2, "store", draft.store)
        if !draft.trustedProxies.isEmpty {
            lines.line(2, "trusted_proxies:")
            for proxy in draft.trustedProxies { writeItem(4, proxy) }
        }
    }

    private mutating func write(_ tenant: DraftTenant) {
        for comment in tenant.comments { lines.comment(2, comment) }
        lines.line(2, "\(YAMLLines.scalar(tenant.name)):")
        lines.line(4, "hosts:")
        for host in tenant.hosts { writeItem(6, host) }
        write(4, "path_prefix", tenant.pathPrefix)
        if tenant.stripsPrefix { lines.line(4, "strip_prefix: true") }
        if tenant.backends.isEmpty {
            lines.line(4, "backend:")
            write(tenant.backend, 6)
        } else {
            lines.line(4, "backends:")
            for other in [DraftNamedBackend(name: "default", backend: tenant.backend)] + tenant.backends {
                lines.line(6, "\(YAMLLines.scalar(other.name)):")
                write(other.backend, 8)
            }
        }
        writeRoutes(tenant.routes)
        if let certificate = tenant.certificate {
            lines.line(4, "tls:")
            write(6, "certificate_file", certificate.chain)
            write(6, "key_file", certificate.key)
            write(6, "client_ca_file", certificate.clientAuthorities)
        }
        writeAuthentication(tenant)
        writeRules(tenant.rules)
        if let signIn = tenant.signIn { write(signIn) }
        writeIdentity(tenant)
        if let bytes = tenant.bodyBytes {
            lines.line(4, "limits:")
            write(6, "body_bytes", bytes)
        }
        write(tenant.rateLimits)
        writeFields(tenant)
        for hint in tenant.hints { lines.comment(4, hint) }
    }

    private mutating func write(_ backend: DraftBackend, _ indent: Int) {
        lines.line(indent, "servers:")
        for server in backend.servers {
            let url = YAMLLines.scalar(server.url.text)
            let item = server.weight == 1 ? url : "{ url: \(url), weight: \(server.weight) }"
            lines.line(indent + 2, "- \(item)", comment: Self.comment(server.url))
        }
        write(indent, "balance", backend.balance)
        if backend.connectTimeout != nil || backend.responseTimeout != nil {
            lines.line(indent, "timeouts:")
            write(indent + 2, "connect", backend.connectTimeout)
            write(indent + 2, "response", backend.responseTimeout)
        }
        if let path = backend.healthPath {
            lines.line(indent, "health:")
            write(indent + 2, "path", path)
        }
        let tls = [
            ("ca_file", backend.caFile), ("server_name", backend.serverName),
            ("certificate_file", backend.certificateFile), ("key_file", backend.keyFile),
        ]
        if tls.contains(where: { $0.1 != nil }) {
            lines.line(indent, "tls:")
            for (key, value) in tls { write(indent + 2, key, value) }
        }
    }

    private mutating func writeAuthentication(_ tenant: DraftTenant) {
        lines.line(4, "authenticate:")
        if !tenant.tokenPlaces.isEmpty {
            lines.line(6, "from:", comment: "the first of these places that has a token decides")
            for place in tenant.tokenPlaces { writeItem(8, place) }
        }
        lines.line(6, "issuers:")
        for issuer in tenant.issuers { write(issuer) }
        write(6, "leeway", tenant.leeway)
    }

    private mutating func write(_ issuer: DraftIssuer) {
        for comment in issuer.comments { lines.comment(8, comment) }
        var entries: [(key: String, value: String, comment: String?)] = []
        if let preset = issuer.preset {
            let isOwn = preset.preset == "built-in"
            entries.append(("preset", preset.preset, isOwn ? "the tenant's own issuer, below" : nil))
            for argument in preset.arguments {
                entries.append((argument.key, YAMLLines.scalar(DraftText(literal: argument.value).text), nil))
            }
        }
        if let name = issuer.issuer, issuer.preset?.knowsIssuer != true {
            entries.append(("issuer", YAMLLines.scalar(name.text), Self.comment(name)))
        }
        if !issuer.audiences.isEmpty, issuer.audiences.map(\.text) != issuer.preset?.audiences {
            let comment = issuer.audiences.compactMap(Self.comment).first
            entries.append(("audiences", YAMLLines.list(issuer.audiences.map(\.text)), comment))
        }
        if !issuer.algorithms.isEmpty { entries.append(("algorithms", YAMLLines.list(issuer.algorithms), nil)) }
        switch issuer.keys {
        case .discovery: entries.append(("discovery", "true", "keys by the issuer's OpenID configuration"))
        case .setURL(let url): entries.append(("jwks_url", YAMLLines.scalar(url.text), Self.comment(url)))
        case .setFile(let path): entries.append(("jwks_file", YAMLLines.scalar(path.text), Self.comment(path)))
        case .secret(let secret): entries.append(("secret", YAMLLines.scalar(secret.text), Self.comment(secret)))
        case nil: break
        }
        for (index, entry) in entries.enumerated() {
            lines.line(8, "\(index == 0 ? "- " : "  ")\(entry.key): \(entry.value)", comment: entry.comment)
        }
    }

    private mutating func writeRules(_ rules: [DraftRule]) {
        guard !rules.isEmpty else { return }
        lines.line(4, "access:", comment: "the first that matches decides; all else needs a signed-in caller")
        for rule in rules {
            var parts = ["path: \(YAMLLines.scalar(rule.path))"]
            if !rule.methods.isEmpty { parts.append("methods: \(YAMLLines.list(rule.methods))") }
            switch rule.decision {
            case .open: parts.append("allow: anyone")
            case .signedIn(let roles): parts.append(roles.isEmpty ? "allow: {}" : Self.allow(roles))
            case .closed: parts.append(Self.allow([DraftDecision.closedRole]))
            }
            let comment = Self.comment(rule.origin, rule.remark)
            lines.line(6, "- { \(parts.joined(separator: ", ")) }", comment: comment)
        }
    }

    private static func allow(_ roles: [String]) -> String {
        "allow: { roles: \(YAMLLines.list(roles.map { $0.replacing("${", with: "$${") })) }"
    }

    private mutating func writeIdentity(_ tenant: DraftTenant) {
        guard !tenant.identity.isEmpty || tenant.keepsToken != nil else { return }
        lines.line(4, "identity:")
        if !tenant.identity.isEmpty {
            lines.line(6, "headers:", comment: "a client's own copies are removed")
            for header in tenant.identity { write(8, header.name, header.value) }
        }
        write(6, "token", tenant.keepsToken)
    }

    private mutating func write(_ limits: [DraftRateLimit]) {
        guard !limits.isEmpty else { return }
        lines.line(4, "rate_limits:")
        for limit in limits {
            let path = limit.path.map { ", path: \(YAMLLines.scalar($0))" } ?? ""
            let rate = YAMLLines.scalar(limit.rate.text)
            lines.line(
                6,
                "- { by: ip, rate: \(rate), burst: \(limit.burst)\(path) }",
                comment: Self.comment(limit.rate)
            )
        }
    }

    private mutating func writeFields(_ tenant: DraftTenant) {
        guard !tenant.setFields.isEmpty || !tenant.removedFields.isEmpty else { return }
        lines.line(4, "headers:")
        lines.line(6, "request:")
        if !tenant.setFields.isEmpty {
            lines.line(8, "set:")
            for field in tenant.setFields { write(10, field.name, field.value) }
        }
        if !tenant.removedFields.isEmpty {
            lines.line(8, "remove:")
            for field in tenant.removedFields { writeItem(10, field) }
        }
    }

    private mutating func writeNotes(_ notes: [SourceNote]) {
        guard !notes.isEmpty else { return }
        lines.line(0, "")
        lines.comment(0, "What is otherwise than before, or was not translated:")
        for note in notes { lines.comment(0, "  \(note)") }
    }

    // MARK: Pieces

    mutating func write(_ indent: Int, _ key: String, _ value: DraftText?) {
        guard let value else { return }
        lines.line(indent, "\(YAMLLines.scalar(key)): \(YAMLLines.scalar(value.text))", comment: Self.comment(value))
    }

    private mutating func writeItem(_ indent: Int, _ value: DraftText) {
        lines.line(indent, "- \(YAMLLines.scalar(value.text))", comment: Self.comment(value))
    }

    static func comment(_ text: DraftText) -> String? { comment(text.origin, text.remark) }

    static func comment(_ origin: Origin?, _ remark: String?) -> String? {
        let parts = [remark, origin?.description].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
