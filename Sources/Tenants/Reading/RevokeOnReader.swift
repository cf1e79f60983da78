import ConfigurationText

/// Reads `revoke_on`.
enum RevokeOnReader {
    static func read(_ items: [DocumentNode], _ session: ReadingSession) -> [RevokeRule] {
        var rules: [RevokeRule] = []
        for item in items {
            guard let scalar = item.filled else { continue }
            let fault = "\"revoke_on\" must hold a method and a path, but \(scalar.shown) is none"
            guard let rule = session.at(item).value(of: try rule(scalar), or: fault) else { continue }
            if rules.contains(rule) { session.at(item).error("\(scalar.shown) is listed twice: leave one out") }
            rules.append(rule)
        }
        return rules
    }

    private static func rule(_ scalar: DocumentNode.Scalar) throws(Remedy) -> RevokeRule {
        let (method, path) = try NetworkText.methodAndPath(scalar.text, example: "POST /logout")
        guard method == method.uppercased() else { throw Remedy("methods are case-sensitive, write it in capitals") }
        do throws(PathPattern.Malformed) {
            return RevokeRule(method: method, path: try PathPattern(path))
        } catch {
            throw Remedy(error.reason(of: scalar, subject: "the path"))
        }
    }
}
