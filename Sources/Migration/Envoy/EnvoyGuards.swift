/// What Envoy's HTTP filters refuse.
struct EnvoyGuards {
    /// Rules of `jwt_authn`; nil if there is no such filter.
    var tokenRules: [SourceRule]?
    /// Rules of the `rbac` filters, each on its own.
    var roleRules: [[SourceRule]] = []
    var issuers: [DraftIssuer] = []
    var places: [DraftText] = []
    var headers: [DraftHeader] = []
    /// Fields that the app trusts and that are set otherwise there.
    var removed: [DraftText] = []
    var keepsToken: DraftText?
    var leeway: DraftText?
    /// Whether something restricts access that is not known here.
    var closesAll = false

    mutating func read(_ filter: SourceNode, _ draft: inout Draft, _ answers: InitAnswers) throws(UntranslatableFile) {
        let config = filter["typed_config"]
        let kind = Self.kind(filter)
        switch kind {
        case "router", "grpc_stats", "stats", "compressor", "decompressor", "gzip", "brotli", "grpc_web",
            "health_check",
            "header_to_metadata", "on_demand", "upstream_codec":
            break
        case "cors":
            draft.note(.lost, filter.origin, kind, "see \"cors\" of the tenant; until then that is the app's business")
        case "fault", "tap", "buffer", "cache": draft.note(.lost, filter.origin, kind, "it has no counterpart")
        case "jwt_authn":
            guard let config else { fallthrough }
            var reader = EnvoyTokenFilter(config: config, answers: answers)
            try reader.read(into: &self, &draft)
        case "rbac":
            guard let config else { fallthrough }
            readRoles(config, &draft)
        default:
            draft.note(.closed, filter.origin, kind, "init does not know this filter")
            closesAll = true
        }
    }

    /// The last part of the type of its configuration, or of its name.
    private static func kind(_ filter: SourceNode) -> String {
        let type = filter["typed_config"]?["@type"]?.text ?? ""
        let known = ["JwtAuthentication": "jwt_authn", "RBAC": "rbac", "Router": "router", "Cors": "cors"]
        let last = type.split(separator: ".").last.map(String.init) ?? ""
        if let kind = known[last] { return kind }
        if !type.isEmpty { return SourceNode.snakeCase(last) }
        return filter["name"]?.text?.split(separator: ".").last.map(String.init) ?? "filter"
    }

    private mutating func readRoles(_ config: SourceNode, _ draft: inout Draft) {
        for entry in config.entries
        where !["@type", "rules", "rules_stat_prefix"].contains(SourceNode.snakeCase(entry.key)) {
            let isShadow = SourceNode.snakeCase(entry.key).hasPrefix("shadow_")
            if isShadow {
                draft.note(.lost, entry.origin, entry.key, "see mode: observe, of a tenant or of a rule")
            } else {
                draft.note(.closed, entry.origin, entry.key, "init does not know it")
                closesAll = true
            }
        }
        guard let rules = config["rules"] else { return }
        var reader = EnvoyRoleFilter(rules: rules)
        roleRules.append(reader.read(&draft))
    }

    /// All filters together: a request has to pass each of them.
    func rules(_ draft: inout Draft) -> [DraftRule] {
        var combined =
            tokenRules ?? [
                SourceRule(matcher: .all, decision: .open, origin: Origin(file: "", line: 0), name: "http_filters")
            ]
        for others in roleRules { combined = Self.both(combined, others) }
        let translated = SourceRules.translate(combined, otherwise: .closed)
        for note in translated.notes where !draft.notes.contains(note) { draft.notes.append(note) }
        return translated.rules
    }

    /// Of two lists the first match of each, and the stricter of the two.
    private static func both(_ left: [SourceRule], _ right: [SourceRule]) -> [SourceRule] {
        left.flatMap { rule in
            right.compactMap { other -> SourceRule? in
                guard let matcher = rule.matcher.intersection(other.matcher) else { return nil }
                var both = rule.decision.isAtLeastAsStrict(as: other.decision) ? rule : other
                both.matcher = matcher
                both.methods = rule.methods.isEmpty ? other.methods : rule.methods
                both.decision = rule.decision.strictest(with: other.decision)
                both.isNarrower = rule.isNarrower || other.isNarrower
                return both
            }
        }
    }
}
