/// A route of a drafted tenant.
package struct DraftRoute: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// By name; `default` is the tenant's `backend`.
        case backend(String)
        case split([Share])
        case redirect(to: String, status: Int)
        case respond(status: Int, body: String?)
    }

    package struct Share: Sendable, Equatable {
        package var backend: String
        package var weight: Int
    }

    /// A pattern of `routes`.
    package var path: String
    package var methods: [String] = []
    /// What the fields of a request must be.
    package var headers: [DraftHeader] = []
    package var action: Action
    package var rewrite: String?
    package var responseTimeout: DraftText?
    package var bodyBytes: DraftText?
    package var mirror: Share?
    package var origin: Origin?
    package var remark: String?
}

/// A backend of a drafted tenant besides its `default`.
package struct DraftNamedBackend: Sendable, Equatable {
    package var name: String
    package var backend: DraftBackend
}

extension DraftTenant {
    /// Adds a backend, unless there is the same one.
    ///
    /// - Parameters:
    ///   - wanted: The name that it gets, if it is free and can be one.
    ///   - timeout: Set to the backend's, if the one that is there has another.
    /// - Returns: Its name.
    mutating func addBackend(
        _ backend: DraftBackend,
        named wanted: String,
        timeout: inout DraftText?
    ) -> String {
        let all = [DraftNamedBackend(name: "default", backend: self.backend)] + backends
        if let known = all.first(where: { $0.backend.isSame(as: backend) }) {
            if known.backend.responseTimeout?.text != backend.responseTimeout?.text {
                timeout = backend.responseTimeout
            }
            return known.name
        }
        let base = Draft.tenantName(host: wanted)
        var name = base
        var number = 2
        while name == "default" || backends.contains(where: { $0.name == name }) {
            name = "\(base)-\(number)"
            number += 1
        }
        backends.append(DraftNamedBackend(name: name, backend: backend))
        return name
    }

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

extension DraftBackend {
    /// Whether it is the same but for the time that it may take, which a route may have of its own.
    fileprivate func isSame(as other: DraftBackend) -> Bool {
        var (one, two) = (self, other)
        (one.responseTimeout, two.responseTimeout) = (nil, nil)
        return one == two
    }
}
