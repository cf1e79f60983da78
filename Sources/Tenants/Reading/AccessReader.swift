/// Reads `access`.
enum AccessReader {
    static func read(_ items: [DocumentNode], _ session: inout ReadingSession) -> AccessRules {
        var rules: [AccessRule] = []
        for item in items {
            guard let rule = readRule(item, &session) else { continue }
            if let lines = linesThatCover(rule, rules) {
                let earlier = lines.sorted().map { "line \($0)" }.joined(separator: " and ")
                session.findings.error(
                    item.place,
                    "this rule is never reached, all of it is decided in \(earlier): move it up or leave it out"
                )
            }
            rules.append(rule)
        }
        return AccessRules(rules)
    }

    private static func readRule(_ node: DocumentNode, _ session: inout ReadingSession) -> AccessRule? {
        let methods = readMethods(node[Schema.accessRule.methods], &session)
        guard let path = PathReader.read(Schema.accessRule.path, in: node, as: "no path of a rule", &session),
            let allow = node[Schema.accessRule.allow].flatMap(readAllow), let methods
        else { return nil }
        let mode = session.mode(Schema.accessRule.mode, of: node, "lets through what this rule refuses")
        return AccessRule(path: path, methods: methods, allow: allow, mode: mode, line: node.place.line)
    }

    /// - Returns: Empty for every method; nil if one is malformed or the type is wrong, so that no rule comes out wider
    ///   than it was meant.
    private static func readMethods(_ node: DocumentNode?, _ session: inout ReadingSession) -> [String]? {
        guard let node else { return [] }
        var methods: [String] = []
        var isGood = !node.items.isEmpty
        for item in node.items {
            guard let scalar = item.filled else {
                isGood = false
                continue
            }
            if !NetworkText.isToken(scalar.text) {
                session.findings.error(item.place, "\(scalar.shown) is no method: write it like GET or POST")
                isGood = false
            } else if scalar.text != scalar.text.uppercased() {
                session.findings.error(
                    item.place,
                    "\(scalar.shown) matches no usual request, methods are case-sensitive: write it in capitals"
                )
                isGood = false
            }
            methods.append(scalar.text)
        }
        return isGood ? methods : nil
    }

    private static func readAllow(_ node: DocumentNode) -> AccessRule.Allow? {
        switch node.content {
        case .scalar(let scalar): scalar.text == "anyone" ? .anyone : nil
        case .map: .signedIn(roles: node.read(Schema.allow.roles), scopes: node.read(Schema.allow.scopes))
        case .null, .list, .unresolved: nil
        }
    }

    /// The lines of earlier rules that together take every request of `rule`, or nil if some get through.
    private static func linesThatCover(_ rule: AccessRule, _ earlier: [AccessRule]) -> [Int]? {
        let covering = earlier.filter { $0.path.covers(rule.path) }
        if let whole = covering.first(where: { $0.methods.isEmpty }) { return [whole.line] }
        guard !rule.methods.isEmpty else { return nil }
        var lines: [Int] = []
        for method in rule.methods {
            guard let first = covering.first(where: { $0.methods.contains(method) }) else { return nil }
            if !lines.contains(first.line) { lines.append(first.line) }
        }
        return lines
    }
}
