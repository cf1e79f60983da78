/// Reads the `tenants` section, and what must hold between tenants.
enum TenantsReader {
    static func read(_ node: DocumentNode?, _ session: inout ReadingSession) -> [Tenant] {
        var routes: [Route: (tenant: String, place: Place)] = [:]
        var certificates = SharedHostCertificates()
        var realms = SharedRealms()
        var issuers = SharedIssuers()
        var tenants: [Tenant] = []
        for entry in node?.entries ?? [] {
            checkName(entry, &session)
            let prefix = PathPrefixReader.read(Schema.tenant.pathPrefix, in: entry.value, &session)
            let hosts = readHosts(entry, prefix, &routes, &session)
            guard
                let tenant = TenantReader(name: entry.key, hosts: hosts, pathPrefix: prefix)
                    .read(entry.value, &session)
            else { continue }
            certificates.check(tenant, entry, &session)
            realms.check(tenant, entry, &session)
            issuers.check(tenant, entry, &session)
            tenants.append(tenant)
        }
        requireAccessTokens(&tenants)
        return tenants
    }

    /// However a tenant comes by the keys of an issuer of this file: it signs ID tokens too, and those let nobody in.
    private static func requireAccessTokens(_ tenants: inout [Tenant]) {
        let own = Set(tenants.compactMap { $0.issuer.map { Array($0.url.utf8) } })
        for tenant in tenants.indices {
            for place in tenants[tenant].authenticate.policy.issuers.indices
            where own.contains(Array(tenants[tenant].authenticate.policy.issuers[place].issuer.utf8)) {
                tenants[tenant].authenticate.policy.issuers[place].requiresAccessTokenType = true
            }
        }
    }

    private struct Route: Hashable {
        var host: HostPattern
        var prefix: String?
    }

    private static func checkName(_ entry: DocumentNode.Entry, _ session: inout ReadingSession) {
        let isPlain = entry.key.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isPlain, (1...63).contains(entry.key.utf8.count) else {
            session.findings.error(
                entry.keyPlace,
                "a tenant's name has 1 to 63 letters, digits, \"-\" and \"_\": rename it"
            )
            return
        }
    }

    private static func readHosts(
        _ tenant: DocumentNode.Entry,
        _ prefix: String?,
        _ routes: inout [Route: (tenant: String, place: Place)],
        _ session: inout ReadingSession
    ) -> [HostPattern] {
        var hosts: [HostPattern] = []
        for item in tenant.value[Schema.tenant.hosts]?.items ?? [] {
            guard let scalar = item.filled else { continue }
            let fault = "\"hosts\" must hold host names, but \(scalar.shown) is none"
            let host = session.value(at: item.place, fault) { () throws(ScalarText.Problem) in
                try NetworkText.hostPattern(scalar.text)
            }
            guard let host else { continue }
            hosts.append(host)
            let route = Route(host: host, prefix: prefix)
            if let first = routes[route] {
                let below = prefix == nil ? "" : " with this path_prefix"
                session.findings.error(
                    item.place,
                    "\(scalar.shown)\(below) is tenant \"\(first.tenant)\"'s already (line \(first.place.line), column "
                        + "\(first.place.column)): give one of them another host or path_prefix"
                )
            } else {
                routes[route] = (tenant.key, item.place)
            }
        }
        return hosts
    }
}

/// Reads what paths begin with.
enum PathPrefixReader {
    /// - Returns: nil for `/`, which stands for every path, and for a malformed prefix, which is reported.
    static func read(
        _ key: Key<some Sendable>,
        in section: DocumentNode,
        _ session: inout ReadingSession
    ) -> String? {
        guard let node = section[key], let scalar = node.filled, scalar.text != "/" else { return nil }
        if let remedy = mistake(in: scalar.text) {
            return session.refuse(node.place, "\"\(key.name)\" must be like /shop, but is \(scalar.shown): \(remedy)")
        }
        return scalar.text
    }

    private static func mistake(in text: String) -> String? {
        guard text.hasPrefix("/") else { return "begin it with \"/\"" }
        guard !text.hasSuffix("/") else { return "leave the \"/\" at the end out" }
        guard !text.contains(where: { "%?#\\*;".contains($0) }),
            !text.unicodeScalars.contains(where: { $0.value <= 0x20 })
        else {
            return "write it decoded, without wildcards, query or spaces"
        }
        let segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard !segments.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            return "leave empty and dot segments out; no request's path keeps them"
        }
        return nil
    }
}
