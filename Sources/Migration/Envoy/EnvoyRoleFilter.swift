/// Reads `rbac`: policies on paths, and on the role in the token's payload.
struct EnvoyRoleFilter {
    let rules: SourceNode

    /// A policy as far as it can be told.
    private struct Policy {
        /// nil: all but `others`.
        var matchers: [PathMatcher]
        var others: [PathMatcher]
        var decision: DraftDecision
        var origin: Origin
        var name: String
    }

    mutating func read(_ draft: inout Draft) -> [SourceRule] {
        let action = rules["action"]?.text ?? "ALLOW"
        let policies = rules["policies"]?.entries ?? []
        switch action {
        case "ALLOW", "0": return allowed(policies, &draft)
        case "LOG", "2": return [rule(.all, .open, rules.origin, "action")]
        default: return denied(policies, &draft)
        }
    }

    private func rule(_ matcher: PathMatcher, _ decision: DraftDecision, _ origin: Origin, _ name: String) -> SourceRule
    {
        SourceRule(matcher: matcher, decision: decision, origin: origin, name: name)
    }

    // MARK: ALLOW

    /// Whoever one policy lets in passes, and nobody else.
    private func allowed(
        _ entries: [(key: String, origin: Origin, value: SourceNode)],
        _ draft: inout Draft
    ) -> [SourceRule] {
        var policies: [Policy] = []
        for entry in entries {
            if let policy = Self.policy(entry) {
                policies.append(policy)
            } else {
                draft.note(
                    .closed,
                    entry.origin,
                    "rbac \(entry.key)",
                    "only paths, and the role of the token's payload, are read; whoever this policy lets in is kept out"
                )
            }
        }
        var matchers: [PathMatcher] = []
        for matcher in policies.flatMap({ $0.matchers + $0.others }) where !matchers.contains(matcher) {
            matchers.append(matcher)
        }
        matchers.sort { Self.rank($0) > Self.rank($1) }
        var rules = matchers.map { matcher in
            rule(matcher, Self.decision(of: policies, for: matcher), self.rules.origin, "rbac")
        }
        rules.append(rule(.all, Self.decision(of: policies, for: nil), self.rules.origin, "rbac"))
        return rules
    }

    /// Longer ones first, and of one length that with fewer paths.
    private static func rank(_ matcher: PathMatcher) -> Int {
        switch matcher {
        case .exact(let text): 4 * text.count + 3
        case .prefix(let text): 4 * text.count + 1
        case .below(let text): 4 * text.count + 2
        case .pattern(let text): 4 * text.count
        case .untold: Int.max
        }
    }

    /// What the policies that are surely about all paths of a matcher let in together.
    ///
    /// - Parameter matcher: nil for all paths that no policy names.
    private static func decision(of policies: [Policy], for matcher: PathMatcher?) -> DraftDecision {
        var roles: [String] = []
        for policy in policies {
            let isAbout: Bool
            if let matcher {
                isAbout =
                    policy.matchers.contains { $0.covers(matcher) }
                    || (policy.matchers.isEmpty && !policy.others.contains { $0.mayOverlap(matcher) })
            } else {
                isAbout = policy.matchers.isEmpty || policy.matchers.contains(.all)
            }
            guard isAbout else { continue }
            switch policy.decision {
            case .open: return .open
            case .signedIn(let more): roles += more.filter { !roles.contains($0) }
            case .closed: break
            }
        }
        return roles.isEmpty ? .closed : .signedIn(roles: roles)
    }

    // MARK: DENY

    private func denied(
        _ entries: [(key: String, origin: Origin, value: SourceNode)],
        _ draft: inout Draft
    ) -> [SourceRule] {
        var rules: [SourceRule] = []
        for entry in entries {
            let permissions = entry.value["permissions"]?.items ?? []
            let matchers = permissions.compactMap(Self.matcher)
            let isWhole = matchers.count == permissions.count && !matchers.isEmpty
            for matcher in isWhole ? matchers : [.all] { rules.append(rule(matcher, .closed, entry.origin, entry.key)) }
            let isForAll = entry.value["principals"]?.items.allSatisfy { $0["any"]?.isTrue == true } ?? false
            if !isWhole || !isForAll {
                draft.note(
                    .closed,
                    entry.origin,
                    "rbac \(entry.key)",
                    "it is closed to everybody: open it to whom it is for"
                )
            }
        }
        return rules + [rule(.all, .open, self.rules.origin, "rbac")]
    }

    // MARK: Policies

    /// - Returns: nil for a policy that is about more than paths and roles.
    private static func policy(_ entry: (key: String, origin: Origin, value: SourceNode)) -> Policy? {
        let known = ["permissions", "principals"]
        guard entry.value.entries.allSatisfy({ known.contains($0.key) }),
            let decision = decision(of: entry.value["principals"]?.items ?? [])
        else { return nil }
        var policy = Policy(matchers: [], others: [], decision: decision, origin: entry.origin, name: entry.key)
        let permissions = entry.value["permissions"]?.items ?? []
        guard !permissions.isEmpty else { return nil }
        for permission in permissions {
            if let matcher = matcher(permission) {
                policy.matchers.append(matcher)
            } else if let other = permission["not_rule"].flatMap(matcher), permissions.count == 1 {
                policy.others.append(other)
            } else {
                return nil
            }
        }
        return policy
    }

    private static func matcher(_ permission: SourceNode) -> PathMatcher? {
        guard permission.entries.count == 1 else { return nil }
        if permission["any"]?.isTrue == true { return .all }
        guard let path = permission["url_path"]?["path"], path.entries.count == 1 else { return nil }
        if let text = path["exact"]?.text { return .exact(text) }
        if let text = path["prefix"]?.text { return .prefix(text) }
        return nil
    }

    /// Roles that any of the principals needs; nil if one needs something else.
    private static func decision(of principals: [SourceNode]) -> DraftDecision? {
        guard !principals.isEmpty else { return nil }
        var roles: [String] = []
        for principal in principals {
            guard principal.entries.count == 1 else { return nil }
            if principal["any"]?.isTrue == true { return .open }
            if let either = principal["or_ids"]?["ids"]?.items {
                guard case .signedIn(let more) = decision(of: either) else { return nil }
                roles += more
                continue
            }
            guard let metadata = principal["metadata"], let role = role(metadata) else { return nil }
            roles.append(role)
        }
        return .signedIn(roles: roles)
    }

    private static func role(_ metadata: SourceNode) -> String? {
        guard metadata["filter"]?.text == "envoy.filters.http.jwt_authn", metadata["invert"] == nil,
            let path = metadata["path"]?.items, path.count == 2, let claim = path.last?["key"]?.text,
            let value = metadata["value"], value.entries.count == 1
        else { return nil }
        switch claim {
        case "role": return value["string_match"]?["exact"]?.text
        case "roles": return value["list_match"]?["one_of"]?["string_match"]?["exact"]?.text
        default: return nil
        }
    }
}
