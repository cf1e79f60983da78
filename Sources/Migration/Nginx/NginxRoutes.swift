/// Routes of one server's locations, within the parts of its paths that are tenants.
struct NginxRoutes {
    let root: NginxScope

    /// Where a location's requests go, if it can be said by a route.
    enum Target {
        case answered(DraftRoute.Action)
        /// - rewrite: nil: the path as it is.
        case forwarded([Share], rewrite: String?)
    }

    struct Share {
        var url: SourceURL
        var weight: Int
    }

    /// The paths of a location as a route has them; nil if no pattern has just these.
    static func pattern(of location: NginxLocation) -> String? {
        let matched = location.matched
        guard !matched.isNarrower, let (pattern, _) = matched.matcher.nearest else { return nil }
        return pattern
    }

    func target(of location: NginxLocation) -> Target? {
        guard let pattern = Self.pattern(of: location) else { return nil }
        let scope = location.scope
        let answers = scope.own.filter { ["return", "rewrite"].contains($0.name) }
        guard answers.count <= 1 else { return nil }
        if let answer = answers.first, let action = NginxReturn.action(answer, at: pattern) { return .answered(action) }
        guard let directive = NginxTarget.directive(in: scope) else { return nil }
        if let rewrite = answers.first {
            guard rewrite.arguments.last == "break", let url = NginxTarget.url(directive), url.path.isEmpty,
                let path = NginxReturn.replaced(rewrite, at: pattern), path.hasPrefix("/")
            else { return nil }
            return .forwarded([Share(url: url, weight: 1)], rewrite: path)
        }
        if let shares = split(directive) { return .forwarded(shares, rewrite: nil) }
        guard let url = NginxTarget.url(directive) else { return nil }
        if url.path.isEmpty || url.path == location.path {
            return .forwarded([Share(url: url, weight: 1)], rewrite: nil)
        }
        guard !url.path.contains("*") else { return nil }
        switch location.kind {
        case .exact: return .forwarded([Share(url: url, weight: 1)], rewrite: url.path)
        case .prefix:
            // `location /api { proxy_pass http://app/v2/; }` makes `//` of the slash between.
            guard location.path.hasSuffix("/") == url.path.hasSuffix("/") else { return nil }
            let base = url.path.hasSuffix("/") ? url.path.dropLast() : url.path[...]
            return .forwarded([Share(url: url, weight: 1)], rewrite: "\(base)/**")
        case .regex, .named: return nil
        }
    }

    /// `proxy_pass http://$up` with `split_clients … $up { 5% next; * web; }`.
    private func split(_ directive: NginxDirective) -> [Share]? {
        for scheme in ["http", "https"] {
            guard directive.first.hasPrefix("\(scheme)://$") else { continue }
            let variable = String(directive.first.dropFirst(scheme.count + 3)).replacing("{", with: "")
                .replacing("}", with: "")
            guard
                let split = root.own.last(where: {
                    $0.name == "split_clients"
                        && $0.arguments.last?.replacing("{", with: "").replacing("}", with: "")
                            == variable
                })
            else { return nil }
            return shares(split.block ?? [], scheme)
        }
        return nil
    }

    private func shares(_ entries: [NginxDirective], _ scheme: String) -> [Share]? {
        var shares: [Share] = []
        // In hundredths of a percent, as nginx reads them.
        var left = 10_000
        for entry in entries {
            guard let url = SourceURL("\(scheme)://\(entry.first)"), url.path.isEmpty else { return nil }
            let weight = entry.name == "*" ? left : Self.hundredths(entry.name)
            guard let weight, weight > 0, weight <= left, !shares.contains(where: { $0.url == url }) else { return nil }
            left -= weight
            shares.append(Share(url: url, weight: weight))
        }
        guard left == 0, shares.count > 1 else { return nil }
        let isPercent = shares.allSatisfy { $0.weight % 100 == 0 }
        return isPercent ? shares.map { Share(url: $0.url, weight: $0.weight / 100) } : shares
    }

    private static func hundredths(_ text: String) -> Int? {
        guard text.hasSuffix("%"), let value = Double(text.dropLast()), value > 0, value <= 100 else { return nil }
        return Int((value * 100).rounded())
    }

    // MARK: Routes

    /// The routes of a tenant, those that nginx prefers first.
    ///
    /// - Parameters:
    ///   - locations: All that are the tenant's, but the one that it is made of.
    ///   - isCovered: Whether a route has all paths of the tenant that none of these has.
    ///   - isDefault: Whether the tenant's default backend has the requests of a location as they are.
    func routes(
        of locations: [NginxLocation],
        for tenant: inout DraftTenant,
        _ draft: inout Draft,
        isCovered: Bool,
        isDefault: (NginxLocation) -> Bool
    ) -> [DraftRoute] {
        var routes: [DraftRoute] = []
        for location in Self.ordered(locations).reversed() {
            guard let pattern = Self.pattern(of: location), let target = target(of: location),
                location.kind != .named, !location.scope.own.contains(where: { $0.name == "internal" })
            else { continue }
            if case .forwarded(_, rewrite: nil) = target, isDefault(location) {
                // One that is inside of a route's paths, and comes before it.
                let isInside = routes.contains { PathMatcher.pattern($0.path).mayOverlap(.pattern(pattern)) }
                guard isCovered || isInside else { continue }
                routes.append(DraftRoute(path: pattern, action: .backend("default"), origin: location.origin))
                continue
            }
            switch target {
            case .answered(let action):
                routes.append(DraftRoute(path: pattern, action: action, origin: location.origin))
            case .forwarded(let shares, let rewrite):
                let keepsPrefix = tenant.stripsPrefix && rewrite == nil
                routes.append(
                    route(pattern, shares, keepsPrefix ? pattern : rewrite, location, &tenant, &draft)
                )
            }
        }
        return routes.reversed()
    }

    func route(
        _ pattern: String,
        _ shares: [Share],
        _ rewrite: String?,
        _ location: NginxLocation,
        _ tenant: inout DraftTenant,
        _ draft: inout Draft
    ) -> DraftRoute {
        var route = DraftRoute(path: pattern, action: .split([]), rewrite: rewrite, origin: location.origin)
        let named = shares.map { share in
            var backend = NginxTarget.backend(share.url, root: root, &draft)
            backend.readTimeouts(location.scope)
            let name = tenant.addBackend(backend, named: share.url.backendName, timeout: &route.responseTimeout)
            return DraftRoute.Share(backend: name, weight: share.weight)
        }
        route.action = named.count == 1 ? .backend(named[0].backend) : .split(named)
        return route
    }

    /// As nginx asks them: exact ones, prefixes that win over expressions, expressions, the other prefixes; of prefixes
    /// the longest first.
    private static func ordered(_ locations: [NginxLocation]) -> [NginxLocation] {
        func rank(_ location: NginxLocation) -> Int {
            switch location.kind {
            case .exact: 0
            case .prefix(let wins): wins ? 1 : 3
            case .regex: 2
            case .named: 4
            }
        }
        return locations.sorted { one, other in
            let (left, right) = (rank(one), rank(other))
            if left != right { return left < right }
            if left == 2 { return one.number < other.number }
            return one.path.utf8.count > other.path.utf8.count
        }
    }
}

extension DraftBackend {
    mutating func readTimeouts(_ scope: NginxScope) {
        if let directive = scope.directive("proxy_connect_timeout"), let text = DurationText.written(directive.first) {
            connectTimeout = DraftText(literal: text, directive.origin)
        }
        let read = scope.directive("proxy_read_timeout") ?? scope.directive("grpc_read_timeout")
        let text = read.flatMap { DurationText.written($0.first) } ?? "60s"
        responseTimeout = DraftText(literal: text, read?.origin, remark: read == nil ? "nginx's default" : nil)
        if let name = scope.directive("proxy_ssl_name"), !name.first.contains("$") {
            serverName = DraftText(literal: name.first, name.origin)
        }
        if let authority = scope.directive("proxy_ssl_trusted_certificate") {
            caFile = DraftText(literal: authority.first, authority.origin)
        }
    }
}

extension SourceURL {
    /// What a backend is called after: the first label of its host, or the whole address.
    fileprivate var backendName: String {
        let isName = host.contains { $0.isLetter } && !host.hasPrefix("[")
        return isName ? host : String(authority.map { $0.isLetter || $0.isNumber ? $0 : "-" })
    }
}
