/// Reads `jwt_authn`: its providers as issuers, its rules as rules.
struct EnvoyTokenFilter {
    let config: SourceNode
    let answers: InitAnswers
    /// The providers that callers of this file are known by; those of the first rule that needs one.
    private var trusted: Set<String>?
    private var audiences: [String: [DraftText]] = [:]

    init(config: SourceNode, answers: InitAnswers) {
        self.config = config
        self.answers = answers
    }

    mutating func read(into guarding: inout EnvoyGuards, _ draft: inout Draft) throws(UntranslatableFile) {
        for entry in config.entries {
            switch SourceNode.snakeCase(entry.key) {
            case "@type", "providers", "rules", "requirement_map", "stat_prefix": break
            case "bypass_cors_preflight", "strip_failure_response":
                draft.note(.lost, entry.origin, entry.key, "see \"cors\" of the tenant for preflights")
            default:
                draft.note(.closed, entry.origin, entry.key, "init does not know it")
                guarding.closesAll = true
            }
        }
        var rules: [SourceRule] = []
        for rule in config["rules"]?.items ?? [] { rules.append(translate(rule, &draft)) }
        rules.append(SourceRule(matcher: .all, decision: .open, origin: config.origin, name: "rules"))
        guarding.tokenRules = rules
        for provider in config["providers"]?.entries ?? [] where trusted?.contains(provider.key) ?? true {
            try add(provider, to: &guarding, &draft)
        }
        // One after the other, they are all asked here.
        if guarding.places.isEmpty { guarding.places = [DraftText(literal: "bearer")] }
    }

    // MARK: Rules

    private mutating func translate(_ rule: SourceNode, _ draft: inout Draft) -> SourceRule {
        let matched = EnvoyRouteMatch.withoutFields(rule["match"])
        let decision = decision(of: rule, &draft)
        for entry in rule.entries
        where !["match", "requires", "requirement_name"].contains(SourceNode.snakeCase(entry.key)) {
            draft.note(.closed, entry.origin, entry.key, "init does not know it")
            return SourceRule(matcher: matched.matcher, decision: .closed, origin: rule.origin, name: "jwt_authn rule")
        }
        return SourceRule(
            matcher: matched.matcher,
            methods: matched.methods,
            decision: decision,
            origin: rule.origin,
            name: "jwt_authn rule",
            isNarrower: matched.isNarrower
        )
    }

    private mutating func decision(of rule: SourceNode, _ draft: inout Draft) -> DraftDecision {
        var needed = rule["requires"]
        if let name = rule["requirement_name"]?.text {
            needed = config["requirement_map"]?.entries.first { $0.key == name }?.value
            if needed == nil { return .closed }
        }
        guard let needed, !needed.entries.isEmpty else { return .open }
        guard let providers = providers(of: needed) else {
            draft.note(.closed, needed.origin, "requires", "only one of several providers can be required here")
            return .closed
        }
        guard let providers else { return .open }
        guard let trusted else {
            trusted = providers
            return .anyCaller
        }
        guard providers == trusted else {
            draft.note(
                .closed,
                needed.origin,
                "requires",
                "all rules of a tenant trust the same issuers, those of its first rule: make it a tenant of its own"
            )
            return .closed
        }
        return .anyCaller
    }

    /// - Returns: The providers any of which will do; an empty optional if a token is not needed, nil if it cannot be told.
    private mutating func providers(of needed: SourceNode) -> Set<String>?? {
        guard needed.entries.count == 1 else { return nil }
        if let name = needed["provider_name"]?.text { return .some(trusting(name, nil)) }
        if let both = needed["provider_and_audiences"] {
            guard let name = both["provider_name"]?.text else { return nil }
            let list = both["audiences"]?.items.compactMap { item in
                item.text.map { DraftText(literal: $0, item.origin) }
            }
            guard let found = trusting(name, list ?? []) else { return nil }
            return .some(found)
        }
        if needed["allow_missing"] != nil || needed["allow_missing_or_failed"] != nil { return .some(nil) }
        guard let either = needed["requires_any"]?["requirements"]?.items, !either.isEmpty else { return nil }
        var all: Set<String> = []
        for item in either {
            guard let inner = providers(of: item) else { return nil }
            guard let inner else { return .some(nil) }
            all.formUnion(inner)
        }
        return .some(all)
    }

    /// - Returns: nil if the provider is trusted for other audiences already.
    private mutating func trusting(_ name: String, _ list: [DraftText]?) -> Set<String>? {
        let wanted = list ?? declaredAudiences(name)
        if let known = audiences[name], known.map(\.text) != wanted.map(\.text) { return ["\(name), other audiences"] }
        audiences[name] = wanted
        return [name]
    }

    private func declaredAudiences(_ name: String) -> [DraftText] {
        let provider = config["providers"]?.entries.first { $0.key == name }?.value
        return provider?["audiences"]?.items.compactMap { item in
            item.text.map { DraftText(literal: $0, item.origin) }
        } ?? []
    }

    // MARK: Providers

    private mutating func add(
        _ entry: (key: String, origin: Origin, value: SourceNode),
        to guarding: inout EnvoyGuards,
        _ draft: inout Draft
    ) throws(UntranslatableFile) {
        let provider = entry.value
        let keys = keys(of: entry, &draft)
        guard let keys else {
            throw UntranslatableFile(
                entry.origin,
                "the keys of provider \(entry.key) are neither at an address, in a file nor in the text: put them in a file"
            )
        }
        guard
            let issuer = provider["issuer"].map({ DraftText(literal: $0.text ?? "", $0.origin) })
                ?? answers.issuer.map({ DraftText(literal: $0) })
        else {
            throw UntranslatableFile(
                entry.origin,
                "provider \(entry.key) has no issuer, which is checked here: add --issuer"
            )
        }
        let algorithms = answers.algorithms.isEmpty ? ["RS256"] : answers.algorithms
        draft.note(
            .changed,
            entry.origin,
            entry.key,
            "its tokens are taken with \(algorithms.joined(separator: ", ")) only: change \"algorithms\" if they have another"
        )
        let declared = audiences[entry.key] ?? declaredAudiences(entry.key)
        guarding.issuers.append(
            DraftIssuer(
                issuer: issuer,
                audiences: declared.isEmpty ? answers.audiences.map { DraftText(literal: $0) } : declared,
                algorithms: algorithms,
                keys: keys
            )
        )
        addPlaces(provider, to: &guarding, &draft)
        addClaims(provider, to: &guarding)
        for setting in provider.entries { note(setting, &guarding, &draft) }
    }

    private func keys(
        of entry: (key: String, origin: Origin, value: SourceNode),
        _ draft: inout Draft
    ) -> DraftIssuer.Keys? {
        if let uri = entry.value["remote_jwks"]?["http_uri"]?["uri"], let text = uri.text {
            return .setURL(DraftText(literal: text, uri.origin))
        }
        guard let local = entry.value["local_jwks"] else { return nil }
        if let file = local["filename"], let text = file.text { return .setFile(DraftText(literal: text, file.origin)) }
        guard let inline = local["inline_string"], let text = inline.text else { return nil }
        let kept = entry.key.unicodeScalars.filter { $0.isASCII && $0.properties.isAlphabetic }
        let name = "jwks-\(String(String.UnicodeScalarView(kept.prefix(40)))).json"
        draft.files.append(DraftFile(name: name, content: text))
        return .setFile(DraftText(literal: name, inline.origin, remark: "written beside this file"))
    }

    private func addPlaces(_ provider: SourceNode, to guarding: inout EnvoyGuards, _ draft: inout Draft) {
        var places: [DraftText] = []
        for header in provider["from_headers"]?.items ?? [] {
            let (name, prefix) = (header["name"]?.text ?? "", header["value_prefix"]?.text ?? "")
            if name.lowercased() == "authorization", prefix.lowercased().hasPrefix("bearer") {
                places.append(DraftText(literal: "bearer", header.origin))
            } else if prefix.isEmpty, FieldName.mayCarryClaim(name) {
                places.append(DraftText(literal: "header:\(name)", header.origin))
            } else {
                draft.note(.lost, header.origin, "from_headers", "tokens are not looked for in \(name) after a text")
            }
        }
        for name in provider["from_cookies"]?.items ?? [] {
            places.append(DraftText(literal: "cookie:\(name.text ?? "")", name.origin))
        }
        for name in provider["from_params"]?.items ?? [] {
            places.append(DraftText(literal: "query:\(name.text ?? "")", name.origin))
        }
        if places.isEmpty { places = [DraftText(literal: "bearer", provider.origin)] }
        for place in places where !guarding.places.contains(where: { $0.text == place.text }) {
            guarding.places.append(place)
        }
    }

    private func addClaims(_ provider: SourceNode, to guarding: inout EnvoyGuards) {
        for item in provider["claim_to_headers"]?.items ?? [] {
            guard let name = item["header_name"]?.text, let claim = item["claim_name"]?.text else { continue }
            if FieldName.mayCarryClaim(name), !claim.contains(".") {
                guarding.headers.append(DraftHeader(name: name, value: DraftText(literal: claim, item.origin)))
            } else if FieldName.mayBeChanged(name) {
                guarding.removed.append(DraftText(literal: name, item.origin, remark: "an app may trust it"))
            }
        }
        if provider["forward"]?.isTrue == true, let node = provider["forward"] {
            guarding.keepsToken = DraftText(literal: "keep", node.origin)
        }
    }

    private func note(
        _ setting: (key: String, origin: Origin, value: SourceNode),
        _ guarding: inout EnvoyGuards,
        _ draft: inout Draft
    ) {
        switch SourceNode.snakeCase(setting.key) {
        case "issuer", "audiences", "remote_jwks", "local_jwks", "forward", "from_headers", "from_params",
            "from_cookies",
            "claim_to_headers", "jwt_cache_config", "payload_in_metadata", "header_in_metadata", "require_expiration",
            "failed_status_in_metadata":
            break
        case "clock_skew_seconds":
            let seconds = min(max(0, setting.value.number ?? 60), 3600)
            guarding.leeway = DraftText(literal: "\(seconds)s", setting.origin)
        case "forward_payload_header":
            let name = setting.value.text ?? ""
            if FieldName.mayBeChanged(name) {
                guarding.removed.append(DraftText(literal: name, setting.origin, remark: "an app may trust it"))
            }
            draft.note(.lost, setting.origin, setting.key, "list the claims that the app needs in identity.headers")
        case "pad_forward_payload_header", "clear_route_cache", "normalize_payload_in_metadata":
            draft.note(.lost, setting.origin, setting.key, "it has no counterpart")
        default:
            draft.note(.closed, setting.origin, setting.key, "init does not know it")
            guarding.closesAll = true
        }
    }
}
