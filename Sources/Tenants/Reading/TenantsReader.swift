/// Reads the `tenants` section, and checks what tenants share.
enum TenantsReader {
    static func read(_ node: DocumentNode?, _ session: ReadingSession) -> [Tenant] {
        var routes: [Route: (tenant: String, position: Position)] = [:]
        var shared = SharedSettingsCheck()
        var tenants: [Tenant] = []
        for entry in node?.entries ?? [] {
            checkName(entry, session)
            let prefix = PathPrefixReader.read(Schema.tenant.pathPrefix, in: entry.value, session)
            let hosts = readHosts(entry, prefix, &routes, session)
            guard
                let tenant = TenantReader(name: entry.key, hosts: hosts, pathPrefix: prefix)
                    .read(entry.value, session)
            else { continue }
            shared.check(tenant, entry.value, session)
            tenants.append(tenant)
        }
        requireAccessTokens(&tenants)
        return tenants
    }

    /// Requires the type of access tokens from every issuer of this file, however a tenant gets its keys: it signs ID
    /// tokens with the same keys, and those must not authenticate requests.
    private static func requireAccessTokens(_ tenants: inout [Tenant]) {
        let own = Set(tenants.compactMap { $0.issuer.map { Array($0.url.utf8) } })
        for tenant in tenants.indices {
            for index in tenants[tenant].authenticate.policy.issuers.indices
            where own.contains(Array(tenants[tenant].authenticate.policy.issuers[index].issuer.utf8)) {
                tenants[tenant].authenticate.policy.issuers[index].requiresAccessTokenType = true
            }
        }
    }

    private struct Route: Hashable {
        var host: HostPattern
        var prefix: String?
    }

    private static func checkName(_ entry: DocumentNode.Entry, _ session: ReadingSession) {
        let isPlain = entry.key.utf8.allSatisfy { $0.isLetterDigit(or: "-_") }
        if !isPlain || !(1...63).contains(entry.key.utf8.count) {
            session.at(entry).error("a tenant's name has 1 to 63 letters, digits, \"-\" and \"_\": rename it")
        }
    }

    private static func readHosts(
        _ tenant: DocumentNode.Entry,
        _ prefix: String?,
        _ routes: inout [Route: (tenant: String, position: Position)],
        _ session: ReadingSession
    ) -> [HostPattern] {
        var hosts: [HostPattern] = []
        for item in tenant.value[Schema.tenant.hosts]?.items ?? [] {
            guard let scalar = item.filled else { continue }
            let fault = "\"hosts\" must hold host names, but \(scalar.shown) is none"
            guard let host = session.at(item).value(of: try NetworkText.hostPattern(scalar.text), or: fault) else {
                continue
            }
            hosts.append(host)
            let route = Route(host: host, prefix: prefix)
            if let first = routes[route] {
                let below = prefix == nil ? "" : " with this path_prefix"
                session.at(item).error(
                    "\(scalar.shown)\(below) is tenant \"\(first.tenant)\"'s already (line \(first.position.line), column "
                        + "\(first.position.column)): give one of them another host or path_prefix"
                )
            } else {
                routes[route] = (tenant.key, item.position)
            }
        }
        return hosts
    }
}

/// Reads prefixes of paths.
enum PathPrefixReader {
    /// - Returns: nil for `/`, which is every path, and for a malformed prefix, which is reported.
    static func read(_ key: Key<some Sendable>, in section: DocumentNode, _ session: ReadingSession) -> String? {
        guard let node = section[key], let scalar = node.filled, scalar.text != "/" else { return nil }
        if let remedy = mistake(in: scalar.text) {
            return session.at(node).refuse("\"\(key.name)\" must be like /shop, but is \(scalar.shown): \(remedy)")
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
