import ConfigurationText

/// Reads `access`.
enum AccessReader {
    static func read(_ list: DocumentNode?, _ session: ReadingSession) -> AccessRules {
        guard let list else { return AccessRules([]) }
        return session.accessRules(at: list) { read(list.items, session) }
    }

    private static func read(_ items: [DocumentNode], _ session: ReadingSession) -> AccessRules {
        var rules: [AccessRule] = []
        for item in items {
            guard let rule = readRule(item, session) else { continue }
            if let covering = rule.covering(among: rules) {
                let lines = Set(covering.map(\.line)).sorted()
                let earlier = lines.map { "line \($0.number)" }.joined(separator: " and ")
                let fault = "this rule is never reached, all of it is decided in \(earlier)"
                session.at(item).error("\(fault): \(remedy(for: rule.allow, after: covering.map(\.allow)))")
            }
            rules.append(rule)
        }
        return AccessRules(rules)
    }

    /// What to do with a rule that is never reached, without opening what an earlier rule guards.
    private static func remedy(for allow: AccessRule.Allow, after earlier: [AccessRule.Allow]) -> String {
        if allow != .anyone, earlier.allSatisfy({ $0 == .anyone }) { return "move it up" }
        if allow == .anyone || earlier.allSatisfy({ $0 == allow }) { return "leave it out" }
        return "keep the one that is meant"
    }

    private static func readRule(_ node: DocumentNode, _ session: ReadingSession) -> AccessRule? {
        let methods = MethodsReader.read(node[Schema.accessRule.methods], session)
        guard let path = PathReader.read(Schema.accessRule.path, in: node, as: "no path of a rule", session),
            let allow = node[Schema.accessRule.allow].flatMap(readAllow), let methods
        else { return nil }
        let mode = session.mode(Schema.accessRule.mode, of: node, "lets through what this rule refuses")
        return AccessRule(path: path, methods: methods, allow: allow, mode: mode, line: node.position.sourceLine)
    }

    private static func readAllow(_ node: DocumentNode) -> AccessRule.Allow? {
        switch node.content {
        case .scalar(let scalar): scalar.text == "anyone" ? .anyone : nil
        case .map: .signedIn(roles: node.read(Schema.allow.roles), scopes: node.read(Schema.allow.scopes))
        case .null, .list, .unresolved: nil
        }
    }
}
