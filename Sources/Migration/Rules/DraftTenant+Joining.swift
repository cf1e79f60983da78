/// Tenants that have parts of the same hosts as one, with routes.
extension DraftTenant {
    /// Takes over a tenant that has a part of the same hosts and is like this one otherwise: its part becomes a route.
    ///
    /// - Returns: Whether it was.
    mutating func join(_ part: DraftTenant) -> Bool {
        guard let prefix = part.pathPrefix, pathPrefix == nil, part.signIn == nil,
            part.rules == rules(below: prefix.text),
            part.hosts.map(\.text) == hosts.map(\.text), part.tokenPlaces.map(\.text) == tokenPlaces.map(\.text),
            part.issuers == issuers, part.certificate == certificate, part.leeway == leeway,
            part.identity == identity, part.keepsToken == keepsToken, part.setFields == setFields,
            part.removedFields == removedFields, part.rateLimits.allSatisfy(rateLimits.contains)
        else { return false }
        let wanted = prefix.text.split(separator: "/").last.map(String.init) ?? "more"
        var own: DraftText?
        var names = ["default": addBackend(part.backend, named: wanted, timeout: &own)]
        var timeouts = ["default": own]
        for other in part.backends {
            var timeout: DraftText?
            names[other.name] = addBackend(other.backend, named: other.name, timeout: &timeout)
            timeouts[other.name] = timeout
        }
        let strips = part.stripsPrefix ? "/**" : nil
        var routes = part.routes.map { $0.renamed(names, timeouts, strips: part.stripsPrefix) }
        routes.append(
            DraftRoute(
                path: prefix.text + "/**",
                action: .backend(names["default"] ?? "default"),
                rewrite: strips,
                responseTimeout: own,
                bodyBytes: part.bodyBytes == bodyBytes ? nil : part.bodyBytes,
                origin: prefix.origin
            )
        )
        self.routes = routes + self.routes.filter { !routes.contains($0) }
        return true
    }

    private func rules(below prefix: String) -> [DraftRule] {
        rules.filter { $0.path == "/**" || PathMatcher.below(prefix).mayOverlap(.pattern($0.path)) }
    }

    /// Makes routes of those parts of a host that are like the one with its root.
    static func joined(_ tenants: [DraftTenant]) -> [DraftTenant] {
        guard let index = tenants.firstIndex(where: { $0.pathPrefix == nil }) else { return tenants }
        var root = tenants[index]
        var others: [DraftTenant] = []
        // The shortest first, since each comes before those that are there.
        let parts = tenants.indices.filter { $0 != index }
            .sorted { (tenants[$0].pathPrefix?.text.utf8.count ?? 0) < (tenants[$1].pathPrefix?.text.utf8.count ?? 0) }
        for part in parts.map({ tenants[$0] }) where !root.join(part) { others.append(part) }
        return [root] + tenants.filter(others.contains)
    }
}

extension DraftRoute {
    /// - Parameters:
    ///   - names: The new names of backends.
    ///   - timeouts: Of backends that are others' by now, by their old names.
    ///   - strips: Whether its tenant takes its prefix off, and the new one does not.
    fileprivate func renamed(
        _ names: [String: String],
        _ timeouts: [String: DraftText?],
        strips: Bool
    ) -> DraftRoute {
        func name(_ old: String) -> String { names[old] ?? old }
        var route = self
        switch action {
        case .backend(let backend):
            route.action = .backend(name(backend))
            if responseTimeout == nil, let timeout = timeouts[backend] { route.responseTimeout = timeout }
        case .split(let shares):
            route.action = .split(shares.map { Share(backend: name($0.backend), weight: $0.weight) })
        case .redirect, .respond: return route
        }
        if let mirror { route.mirror = Share(backend: name(mirror.backend), weight: mirror.weight) }
        if strips, rewrite == nil, path.hasSuffix("/**") { route.rewrite = "/**" }
        return route
    }
}
