/// One server: a tenant for each backend that it sends whole paths to.
struct NginxServer {
    let scope: NginxScope
    let locations: [NginxLocation]
    let root: NginxScope
    let origin: Origin

    private struct Mount {
        /// Without `/` at its end, unless it is `/`.
        var path: String
        var location: NginxLocation
        var url: SourceURL
        var strips: Bool
    }

    /// The tenants, named by their paths alone.
    func tenants(_ draft: inout Draft, backends: [String]) -> [DraftTenant] {
        var mounts = mounts(&draft)
        let fallback = backends.compactMap { SourceURL($0) }
        if mounts.isEmpty, let first = fallback.first, let location = locations.first(where: { $0.path == "/" }) {
            mounts = [Mount(path: "/", location: location, url: first, strips: false)]
        }
        let rules = rules(mounts, &draft)
        let tenants = mounts.map { mount in
            let part = mount.path.split(separator: "/").last.map { "-\(Draft.tenantName(host: String($0)))" } ?? ""
            var tenant = DraftTenant(name: part)
            if mount.path != "/" { tenant.pathPrefix = DraftText(literal: mount.path, mount.location.origin) }
            tenant.stripsPrefix = mount.strips
            tenant.backend = NginxTarget.backend(mount.url, root: root, &draft)
            tenant.backend.readTimeouts(mount.location.scope)
            tenant.rules = rules.filter {
                $0.path == "/**" || mount.path == "/" || PathMatcher.below(mount.path).mayOverlap(.pattern($0.path))
            }
            readBody(mount.location.scope, &tenant)
            tenant.rateLimits = rateLimits(below: mount.path, &draft)
            for location in locations where belongs(location, to: mount, mounts) {
                addFields(location, &tenant, &draft)
            }
            tenant.keepsToken = tenant.keepsToken ?? DraftText(literal: "keep", remark: "nginx forwards it")
            let parts = locations.filter { belongs($0, to: mount, mounts) && $0.number != mount.location.number }
            let whole = split(mount, &tenant, &draft)
            tenant.routes = routes.routes(of: parts, for: &tenant, &draft, isCovered: whole != nil) { location in
                NginxTarget.directive(in: location.scope).map { isForwardedAlike(location, $0, mounts) } ?? false
            }
            if let whole { tenant.routes.append(whole) }
            return tenant
        }
        return DraftTenant.joined(tenants)
    }

    private var routes: NginxRoutes { NginxRoutes(root: root) }

    /// The shares of a tenant's own location, if it has several.
    private func split(_ mount: Mount, _ tenant: inout DraftTenant, _ draft: inout Draft) -> DraftRoute? {
        guard case .forwarded(let shares, let rewrite)? = routes.target(of: mount.location),
            shares.count > 1 || (rewrite != nil && !mount.strips)
        else { return nil }
        let path = mount.path == "/" ? "/**" : "\(mount.path)/**"
        return routes.route(path, shares, rewrite, mount.location, &tenant, &draft)
    }

    // MARK: Backends

    private func mounts(_ draft: inout Draft) -> [Mount] {
        var mounts: [Mount] = []
        for location in locations {
            guard case .prefix = location.kind, case .forwarded(let shares, let rewrite)? = routes.target(of: location),
                let url = shares.last?.url
            else { continue }
            let path = location.path == "/" ? "/" : location.path.droppingTrailingSlash
            let isPath = path == "/" || (PathMatcher.below(path).nearest != nil && !path.contains(";"))
            guard isPath, !mounts.contains(where: { $0.path == path }) else { continue }
            // `location /api/ { proxy_pass http://app/; }` takes the path off.
            let strips = url.path == "/" && path != "/" && location.path.hasSuffix("/")
            guard rewrite == nil || strips || path == "/" else { continue }
            mounts.append(Mount(path: path, location: location, url: url, strips: strips))
        }
        // What goes the same way as what is around it needs no tenant of its own.
        return mounts.filter { mount in
            let around = mounts.filter {
                $0.path != mount.path && PathMatcher.below($0.path).covers(.below(mount.path))
            }
            .max { $0.path.count < $1.path.count }
            return around.map { $0.url.origin != mount.url.origin || $0.strips || mount.strips } ?? true
        }
    }

    private func belongs(_ location: NginxLocation, to mount: Mount, _ mounts: [Mount]) -> Bool {
        let matcher = location.matched.matcher
        let around = mounts.filter { $0.path == "/" || PathMatcher.prefix($0.path).covers(matcher) }
            .max { $0.path.count < $1.path.count }
        return around.map { $0.path == mount.path } ?? true
    }

    // MARK: Rules

    private func rules(_ mounts: [Mount], _ draft: inout Draft) -> [DraftRule] {
        let regexes = locations.filter { if case .regex = $0.kind { true } else { false } }
        let strictest = regexes.map { decision(of: $0, mounts, &draft) }.reduce(DraftDecision.open) {
            $0.strictest(with: $1)
        }
        func rule(_ location: NginxLocation, _ decision: DraftDecision) -> SourceRule {
            let matched = location.matched
            return SourceRule(
                matcher: matched.matcher,
                decision: decision,
                origin: location.origin,
                name: "location",
                isNarrower: matched.isNarrower
            )
        }
        var rules: [SourceRule] = []
        for location in locations where location.kind == .exact {
            rules.append(rule(location, decision(of: location, mounts, &draft)))
        }
        let prefixes = locations.filter { if case .prefix = $0.kind { true } else { false } }
            .sorted { $0.path.count > $1.path.count }
        let winning = prefixes.filter { $0.kind == .prefix(winsOverRegexes: true) }
        // Of a location inside of one that wins, the expressions are asked again: it is as strict as all of them.
        let nested = prefixes.filter { inner in
            inner.kind != .prefix(winsOverRegexes: true) && winning.contains { inner.path.hasPrefix($0.path) }
        }
        let first = (winning + nested).sorted { $0.path.count > $1.path.count }
        for location in first {
            var decided = decision(of: location, mounts, &draft)
            if location.kind != .prefix(winsOverRegexes: true) { decided = decided.strictest(with: strictest) }
            rules.append(rule(location, decided))
        }
        for location in regexes { rules.append(rule(location, decision(of: location, mounts, &draft))) }
        for location in prefixes where !first.contains(where: { $0.number == location.number }) {
            rules.append(rule(location, decision(of: location, mounts, &draft)))
        }
        let translated = SourceRules.translate(rules, otherwise: .closed)
        for note in translated.notes where !draft.notes.contains(note) { draft.notes.append(note) }
        return translated.rules
    }

    private func decision(of location: NginxLocation, _ mounts: [Mount], _ draft: inout Draft) -> DraftDecision {
        let scope = location.scope
        if NginxUnknown.note(in: scope, &draft) || hasForeignAccess(scope) { return .closed }
        guard scope.own.allSatisfy({ $0.name != "internal" }) else { return .closed }
        let found = routes.target(of: location)
        // It is answered before anybody is asked who may.
        if case .answered? = found { return .open }
        if let directive = scope.own.first(where: { ["return", "rewrite"].contains($0.name) }), found == nil {
            draft.note(.closed, directive.origin, directive.name, "no route says this: see \"routes\"")
            return .closed
        }
        guard let target = NginxTarget.directive(in: scope) else {
            if scope.own.contains(where: { $0.name == "location" }) { return .closed }
            draft.note(
                .closed,
                location.origin,
                "location \(location.path)",
                "it forwards nothing: files are not served here"
            )
            return .closed
        }
        guard found != nil || isForwardedAlike(location, target, mounts) else {
            draft.note(.closed, target.origin, target.name, "no route says where these paths go: see \"routes\"")
            return .closed
        }
        if let request = scope.active("auth_request") { return noteRequest(request, &draft) }
        return scope.active("auth_jwt") == nil ? .open : .anyCaller
    }

    /// The server that `auth_request` asks may refuse whoever it likes; here a token decides.
    private func noteRequest(_ request: NginxDirective, _ draft: inout Draft) -> DraftDecision {
        let asked = locations.first { $0.path == request.first }
        let target = asked.flatMap { NginxTarget.directive(in: $0.scope) }
        if request.first.contains("?") || target?.first.contains("?") ?? false {
            let text =
                "what it asks for (\(target?.first ?? request.first)) is not asked for here: write the roles in \"access\""
            draft.note(.closed, request.origin, request.name, text)
            return .closed
        }
        draft.note(
            .changed,
            request.origin,
            request.name,
            "a token of the trusted issuers is enough here: if what it asked refused more callers, write the roles in \"access\""
        )
        return .anyCaller
    }

    /// Whether the blocks around have directives that close it: they hold inside too, unless they are said anew.
    private func hasForeignAccess(_ scope: NginxScope) -> Bool {
        let outer = scope.blocks.dropLast()
        if !scope.own.contains(where: { $0.name == "deny" || $0.name == "allow" }),
            outer.contains(where: { $0.contains { $0.name == "deny" } })
        {
            return true
        }
        return scope.active("auth_basic") != nil
    }

    private func isForwardedAlike(_ location: NginxLocation, _ target: NginxDirective, _ mounts: [Mount]) -> Bool {
        guard let url = NginxTarget.url(target) else { return false }
        let matcher = location.matched.matcher
        let around = mounts.filter { $0.path == "/" || PathMatcher.prefix($0.path).covers(matcher) }
            .max { $0.path.count < $1.path.count }
        guard let around, around.url.origin == url.origin else { return false }
        if around.location.number == location.number { return true }
        guard !around.strips else { return false }
        return url.path.isEmpty || url.path == location.path
    }

    // MARK: Limits

    private func readBody(_ scope: NginxScope, _ tenant: inout DraftTenant) {
        let directive = scope.directive("client_max_body_size")
        let text = directive?.first.lowercased() ?? "1m"
        // 0 is no bound.
        guard text != "0", let size = NginxSize.written(text) else { return }
        let remark = directive == nil ? "nginx's default" : nil
        tenant.bodyBytes = DraftText(literal: size, directive?.origin, remark: remark)
    }

    private func rateLimits(below path: String, _ draft: inout Draft) -> [DraftRateLimit] {
        var limits: [DraftRateLimit] = []
        var seen: Set<Origin> = []
        for location in locations {
            for directive in location.scope.directives("limit_req") where seen.insert(directive.origin).inserted {
                let isOwn = location.scope.own.contains(directive)
                guard let limit = rateLimit(directive, isOwn ? location : nil, &draft) else { continue }
                let isHere = limit.path.map { PathMatcher.below(path).mayOverlap(.pattern($0)) } ?? true
                if isHere { limits.append(limit) }
            }
        }
        return limits
    }

    private func rateLimit(
        _ directive: NginxDirective,
        _ location: NginxLocation?,
        _ draft: inout Draft
    ) -> DraftRateLimit? {
        func value(_ name: String, _ directive: NginxDirective) -> String? {
            directive.arguments.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        let zone = root.own.first { candidate in
            candidate.name == "limit_req_zone"
                && value("zone", candidate)?.split(separator: ":").first.map(String.init) == value("zone", directive)
        }
        let matched = location?.matched.matcher.nearest
        guard let zone, ["$binary_remote_addr", "$remote_addr"].contains(zone.first),
            let rate = value("rate", zone).flatMap(NginxSize.rate), location == nil || matched != nil
        else {
            draft.note(.lost, directive.origin, "limit_req", "requests are not counted so here: see rate_limits")
            return nil
        }
        let burst = min(max(0, value("burst", directive).flatMap { Int($0) } ?? 0), 999_999) + 1
        let pattern = matched?.pattern == "/**" ? nil : matched?.pattern
        return DraftRateLimit(rate: DraftText(literal: rate, directive.origin), burst: burst, path: pattern)
    }

    // MARK: Fields

    private func addFields(_ location: NginxLocation, _ tenant: inout DraftTenant, _ draft: inout Draft) {
        let scope = location.scope
        for directive in scope.directives("proxy_set_header") + scope.directives("grpc_set_header") {
            guard directive.arguments.count == 2 else { continue }
            let (name, value) = (directive.first, directive.arguments[1])
            let folded = FieldName.folded(name)
            if folded == "authorization" {
                if value.isEmpty { tenant.keepsToken = DraftText(literal: "strip", directive.origin) }
                continue
            }
            if value.hasPrefix("$jwt_claim_"), FieldName.mayCarryClaim(name) {
                let claim = DraftText(literal: String(value.dropFirst(11)), directive.origin)
                tenant.identity.append(DraftHeader(name: name, value: claim))
            } else if let claim = answeredClaim(value, scope), FieldName.mayCarryClaim(name) {
                tenant.identity.append(DraftHeader(name: name, value: DraftText(literal: claim, directive.origin)))
            } else if FieldName.mayBeChanged(name) {
                let isTold = !value.isEmpty && value.contains("$")
                if isTold {
                    draft.note(
                        .lost,
                        directive.origin,
                        "proxy_set_header \(name)",
                        "it is removed: an app may trust it"
                    )
                }
                let earlier = tenant.setFields.first { FieldName.folded($0.name) == folded }
                if let earlier, earlier.value.text != value {
                    tenant.setFields.removeAll { FieldName.folded($0.name) == folded }
                    tenant.addField(name, "", isLiteral: { _ in false }, directive.origin)
                } else {
                    tenant.addField(name, value, isLiteral: { !$0.contains("$") }, directive.origin)
                }
            }
        }
    }

    /// `$user` of `auth_request_set $user $upstream_http_x_auth_request_user` is the claim `sub`.
    private func answeredClaim(_ variable: String, _ scope: NginxScope) -> String? {
        let answers = scope.directives("auth_request_set")
        let source = answers.first { $0.first == variable }?.arguments.last ?? variable
        let claims = [
            "$upstream_http_x_auth_request_user": "sub", "$upstream_http_x_user_id": "sub",
            "$upstream_http_x_auth_request_email": "email", "$upstream_http_x_user_email": "email",
            "$upstream_http_x_auth_request_preferred_username": "preferred_username",
            "$upstream_http_x_user_role": "role",
        ]
        return claims[source]
    }
}

extension String {
    fileprivate var droppingTrailingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
