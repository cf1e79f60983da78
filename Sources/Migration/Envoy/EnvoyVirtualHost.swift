/// A virtual host: a tenant, whose routes are the virtual host's. Where routes set other fields, they are tenants of their own.
struct EnvoyVirtualHost {
    let host: SourceNode
    let guarding: EnvoyGuards
    let answers: InitAnswers
    private var mounts: [Mount] = []
    /// Routes beside those that are mounts, in their order.
    private var others: [Other] = []
    /// What is closed because no backend may have it.
    private var closings: [SourceRule] = []
    private var closesAll = false

    private struct Mount {
        /// Without `/` at its end, unless it is `/`.
        var path: String
        var cluster: String
        var route: SourceNode
        var strips = false
        var isClosed = false
    }

    fileprivate struct Other {
        var matched: EnvoyRouteMatch.Matched
        var pattern: String
        var action: EnvoyRouteAction
        var route: SourceNode
    }

    init(host: SourceNode, guarding: EnvoyGuards, answers: InitAnswers) {
        self.host = host
        self.guarding = guarding
        self.answers = answers
        closesAll = guarding.closesAll
    }

    mutating func add(to draft: inout Draft, clusters: [SourceNode]) throws(UntranslatableFile) {
        noteHost(&draft)
        for route in host["routes"]?.items ?? [] { read(route, &draft) }
        guard !mounts.isEmpty else { return }
        let hosts = try hosts(&draft)
        let issuers = guarding.issuers.isEmpty ? answers.trustedIssuer.map { [$0] } ?? [] : guarding.issuers
        guard !issuers.isEmpty else {
            throw UntranslatableFile(
                host.origin,
                "no jwt_authn says who signs the tokens: add --provider, --issuer and --audience"
            )
        }
        var guards = guarding
        guards.tokenRules = closings + (guarding.tokenRules ?? [openRule])
        let rules = guards.rules(&draft)
        let base = answers.tenant ?? Draft.tenantName(host: hosts[0].text)
        var tenants: [DraftTenant] = []
        for mount in mounts {
            let suffix = mount.path.split(separator: "/").last.map { "-\(Draft.tenantName(host: String($0)))" } ?? ""
            var tenant = DraftTenant(name: base + suffix)
            tenant.hosts = hosts
            if mount.path != "/" { tenant.pathPrefix = DraftText(literal: mount.path, mount.route.origin) }
            tenant.stripsPrefix = mount.strips
            tenant.backend = try backend(mount.cluster, mount.route, clusters, &draft)
            for other in others where isReached(other, in: mount) {
                tenant.routes.append(try route(other, of: &tenant, clusters, &draft))
            }
            tenant.issuers = issuers
            tenant.tokenPlaces = guarding.places
            tenant.leeway = guarding.leeway
            tenant.rules = rules.filter {
                $0.path == "/**" || mount.path == "/"
                    || PathMatcher.below(mount.path).mayOverlap(.pattern($0.path))
            }
            if mount.isClosed || closesAll { tenant.close() }
            addFields(to: &tenant, mount, &draft)
            tenants.append(tenant)
        }
        for var tenant in DraftTenant.joined(tenants) {
            tenant.name = draft.freeName(tenant.name)
            draft.tenants.append(tenant)
        }
    }

    /// Whether requests of a route are the mount's, rather than those of one with a longer path.
    private func isReached(_ other: Other, in mount: Mount) -> Bool {
        guard PathMatcher.below(mount.path).mayOverlap(other.matched.matcher) else { return false }
        return !mounts.contains { inner in
            inner.path != mount.path && PathMatcher.below(mount.path).covers(.below(inner.path))
                && PathMatcher.below(inner.path).covers(other.matched.matcher)
        }
    }

    private func route(
        _ other: Other,
        of tenant: inout DraftTenant,
        _ clusters: [SourceNode],
        _ draft: inout Draft
    ) throws(UntranslatableFile) -> DraftRoute {
        var route = DraftRoute(
            path: other.pattern,
            methods: other.matched.methods,
            headers: other.matched.headers,
            action: .respond(status: 404, body: nil),
            origin: other.route.origin
        )
        switch other.action {
        case .answered(let action): route.action = action
        case .forwarded(let shares, let rewrite):
            var named: [DraftRoute.Share] = []
            for share in shares {
                let backend = try backend(share.cluster, other.route, clusters, &draft)
                let name = tenant.addBackend(backend, named: share.cluster, timeout: &route.responseTimeout)
                named.append(DraftRoute.Share(backend: name, weight: share.weight))
            }
            route.action = named.count == 1 ? .backend(named[0].backend) : .split(named)
            route.rewrite = rewrite ?? (tenant.stripsPrefix ? other.pattern : nil)
        }
        return route
    }

    private var openRule: SourceRule {
        SourceRule(matcher: .all, decision: .open, origin: host.origin, name: "virtual_hosts")
    }

    private func hosts(_ draft: inout Draft) throws(UntranslatableFile) -> [DraftText] {
        var hosts: [DraftText] = []
        for domain in host["domains"]?.items ?? [] {
            let text = (domain.text ?? "").lowercased()
            let name = text.hasPrefix("[") ? text : String(text.prefix { $0 != ":" })
            if name == "*" {
                draft.note(.lost, domain.origin, "domains", "a tenant has hosts of its own: \"*\" is none")
            } else if name.dropFirst(name.hasPrefix("*.") ? 2 : 0).contains("*") {
                draft.note(
                    .lost,
                    domain.origin,
                    "domains",
                    "\"*\" stands only for a whole first label: \(name) is left out"
                )
            } else if !hosts.contains(where: { $0.text == name }) {
                if name.hasPrefix("*.") {
                    draft.note(.changed, domain.origin, "domains", "\(name) has one label more here, not several")
                }
                hosts.append(DraftText(literal: name, domain.origin))
            }
        }
        if hosts.isEmpty { hosts = answers.hosts.map { DraftText(literal: $0) } }
        guard !hosts.isEmpty else {
            throw UntranslatableFile(host.origin, "no domain but \"*\": add --host app.example.com")
        }
        return hosts
    }

    private func backend(
        _ name: String,
        _ route: SourceNode,
        _ clusters: [SourceNode],
        _ draft: inout Draft
    ) throws(UntranslatableFile) -> DraftBackend {
        let cluster = clusters.first { $0["name"]?.text == name }
        var backend = cluster.map { EnvoyCluster.backend($0, &draft) } ?? DraftBackend()
        if backend.servers.isEmpty {
            backend.servers = answers.backends.map { DraftServer(url: DraftText(literal: $0)) }
        }
        guard !backend.servers.isEmpty else {
            throw UntranslatableFile(
                cluster?.origin ?? route.origin,
                "cluster \(name) has no address in this file: add --backend http://host:port"
            )
        }
        // Envoy's route timeout is 15 s unless it is set; 0 is none.
        let node = route["route"]?["timeout"]
        let text = node?.text ?? "15s"
        let milliseconds = DurationText.milliseconds(text) ?? 15_000
        let written = milliseconds == 0 ? "1d" : DurationText.written(milliseconds: min(milliseconds, 86_400_000))
        backend.responseTimeout = DraftText(literal: written, node?.origin)
        return backend
    }

    // MARK: Routes

    private mutating func read(_ route: SourceNode, _ draft: inout Draft) {
        let matched = EnvoyRouteMatch.withoutFields(route["match"])
        let isUnknown = noteRoute(route, &draft)
        // An earlier route has all of it.
        guard !others.contains(where: { $0.hasAll(of: matched) }) else { return }
        if !isUnknown, isOther(route, matched), add(route) { return }
        guard let action = route["route"], let cluster = action["cluster"]?.text else {
            let answers = route["direct_response"] ?? route["redirect"]
            let name = route["redirect"] != nil ? "redirect" : answers != nil ? "direct_response" : "route"
            draft.note(.closed, route.origin, name, "no route says this: its paths are closed")
            close(matched, route, name)
            return
        }
        guard let path = Self.mountPath(matched) else {
            guard !sharesMount(matched, cluster) else { return }
            draft.note(
                .closed,
                route.origin,
                "match",
                "a backend has whole paths with all below them: \(matched.matcher.shown)"
            )
            close(matched, route, "match")
            return
        }
        // An earlier route has all of it.
        guard !mounts.contains(where: { PathMatcher.below($0.path).covers(.below(path)) }) else { return }
        var mount = Mount(path: path, cluster: cluster, route: route, isClosed: isUnknown)
        if case .prefix(let text) = matched.matcher, !text.hasSuffix("/"), !text.isEmpty {
            draft.note(.changed, route.origin, "prefix", "\(text) is a whole segment here: \(path)/**")
        }
        if let rewrite = action["prefix_rewrite"] {
            let isStripping = rewrite.text == "/" && path != "/"
            mount.strips = isStripping
            if !isStripping {
                draft.note(
                    .closed,
                    rewrite.origin,
                    "prefix_rewrite",
                    "no route says this: see \"rewrite\" of routes"
                )
                mount.isClosed = true
            }
        }
        mounts.append(mount)
    }

    /// Whether it is more than all paths below one for one cluster.
    private func isOther(_ route: SourceNode, _ matched: EnvoyRouteMatch.Matched) -> Bool {
        guard let action = route["route"], let cluster = action["cluster"]?.text else { return true }
        guard let path = Self.mountPath(matched) else { return !sharesMount(matched, cluster) }
        guard !mounts.contains(where: { PathMatcher.below($0.path).covers(.below(path)) }) else { return false }
        guard let rewrite = action["prefix_rewrite"]?.text else { return false }
        return rewrite != "/" || path == "/"
    }

    private mutating func add(_ route: SourceNode) -> Bool {
        let matched = EnvoyRouteMatch.read(route["match"])
        guard let pattern = EnvoyRouteAction.pattern(matched), let action = EnvoyRouteAction.read(route, matched)
        else { return false }
        others.append(Other(matched: matched, pattern: pattern, action: action, route: route))
        return true
    }

    private mutating func close(_ matched: EnvoyRouteMatch.Matched, _ route: SourceNode, _ name: String) {
        closings.append(
            SourceRule(
                matcher: matched.matcher,
                methods: matched.methods,
                decision: .closed,
                origin: route.origin,
                name: name,
                isNarrower: matched.isNarrower
            )
        )
    }

    private static func mountPath(_ matched: EnvoyRouteMatch.Matched) -> String? {
        guard matched.methods.isEmpty, !matched.isNarrower else { return nil }
        let text: String
        switch matched.matcher {
        case .prefix(let prefix): text = prefix.isEmpty ? "/" : prefix
        case .below(let path): text = path
        case .exact, .pattern, .untold: return nil
        }
        guard text != "/" else { return "/" }
        let path = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard PathMatcher.below(path).nearest != nil, !path.contains(";") else { return nil }
        return path
    }

    /// Whether a later route sends all paths around these to the same cluster.
    private func sharesMount(_ matched: EnvoyRouteMatch.Matched, _ cluster: String) -> Bool {
        for route in host["routes"]?.items ?? [] {
            let other = EnvoyRouteMatch.read(route["match"])
            guard let path = Self.mountPath(other), PathMatcher.below(path).covers(matched.matcher) else { continue }
            return route["route"]?["cluster"]?.text == cluster && route["route"]?["prefix_rewrite"] == nil
        }
        return false
    }

    // MARK: Settings

    /// - Returns: Whether a setting may restrict access.
    private func noteRoute(_ route: SourceNode, _ draft: inout Draft) -> Bool {
        var isUnknown = false
        let known: Set<String> = [
            "match", "route", "redirect", "direct_response", "name", "decorator", "request_headers_to_add",
            "request_headers_to_remove", "metadata", "stat_prefix",
        ]
        for entry in route.entries where !known.contains(SourceNode.snakeCase(entry.key)) {
            isUnknown = noteUnknown(entry, &draft) || isUnknown
        }
        let actions: Set<String> = [
            "cluster", "weighted_clusters", "timeout", "prefix_rewrite", "retry_policy",
            "idle_timeout", "upgrade_configs",
        ]
        for entry in route["route"]?.entries ?? [] where !actions.contains(SourceNode.snakeCase(entry.key)) {
            switch SourceNode.snakeCase(entry.key) {
            case "host_rewrite_literal", "auto_host_rewrite", "append_x_forwarded_host":
                draft.note(.lost, entry.origin, entry.key, "the backend gets the client's Host")
            case "request_mirror_policies":
                draft.note(.lost, entry.origin, entry.key, "see \"mirror\" of routes")
            case "hash_policy", "rate_limits", "cors", "metadata_match", "max_stream_duration", "priority":
                draft.note(.lost, entry.origin, entry.key, "it has no counterpart")
            default: isUnknown = noteUnknown(entry, &draft) || isUnknown
            }
        }
        return isUnknown
    }

    private mutating func noteHost(_ draft: inout Draft) {
        let known: Set<String> = [
            "name", "domains", "routes", "request_headers_to_add", "request_headers_to_remove", "retry_policy",
            "virtual_clusters", "include_request_attempt_count",
        ]
        for entry in host.entries where !known.contains(SourceNode.snakeCase(entry.key)) {
            if SourceNode.snakeCase(entry.key) == "require_tls" {
                draft.note(.changed, entry.origin, entry.key, "see gateway.redirect_https")
            } else if noteUnknown(entry, &draft) {
                closesAll = true
            }
        }
    }

    private func noteUnknown(
        _ entry: (key: String, origin: Origin, value: SourceNode),
        _ draft: inout Draft
    ) -> Bool {
        switch SourceNode.snakeCase(entry.key) {
        case "response_headers_to_add", "response_headers_to_remove":
            draft.note(.lost, entry.origin, entry.key, "see headers.response")
            return false
        case "cors", "rate_limits":
            draft.note(.lost, entry.origin, entry.key, "see \"cors\" and \"rate_limits\" of the tenant")
            return false
        case "typed_per_filter_config":
            let opens = entry.value.entries.allSatisfy { $0.value["disabled"]?.isTrue == true }
            let text = "filters are the same for all routes"
            draft.note(opens ? .lost : .closed, entry.origin, entry.key, opens ? "\(text): it stays checked" : text)
            return !opens
        default:
            draft.note(.closed, entry.origin, entry.key, "init does not know it")
            return true
        }
    }

    private func addFields(to tenant: inout DraftTenant, _ mount: Mount, _ draft: inout Draft) {
        tenant.identity = guarding.headers.firstOfEachName
        tenant.keepsToken = guarding.keepsToken ?? DraftText(literal: "strip", remark: "jwt_authn: forward is false")
        tenant.removedFields = guarding.removed
        for node in [host, mount.route] {
            for item in node["request_headers_to_remove"]?.items ?? [] {
                guard let name = item.text, FieldName.mayBeChanged(name) else { continue }
                tenant.removedFields.append(DraftText(literal: name, item.origin))
            }
            for item in node["request_headers_to_add"]?.items ?? [] {
                guard let name = item["header"]?["key"]?.text, FieldName.mayBeChanged(name) else { continue }
                tenant.addField(
                    name,
                    item["header"]?["value"]?.text ?? "",
                    isLiteral: { !$0.contains("%") },
                    item.origin
                )
            }
        }
        tenant.tidyFields()
    }
}

extension EnvoyVirtualHost.Other {
    /// Whether a later match is never reached.
    fileprivate func hasAll(of later: EnvoyRouteMatch.Matched) -> Bool {
        matched.headers.isEmpty && (matched.methods.isEmpty || matched.methods == later.methods)
            && matched.matcher.covers(later.matcher)
    }
}
