/// Reads `revoke_on`.
enum RevokeOnReader {
    static func read(_ items: [DocumentNode], _ session: inout ReadingSession) -> [RevokeRule] {
        var rules: [RevokeRule] = []
        for item in items {
            guard let scalar = item.filled else { continue }
            do throws(ScalarText.Problem) {
                let rule = try rule(scalar)
                if rules.contains(rule) {
                    session.findings.error(item.place, "\(scalar.shown) is listed twice: leave one out")
                }
                rules.append(rule)
            } catch {
                session.findings.error(
                    item.place,
                    "\"revoke_on\" must hold a method and a path, but \(scalar.shown) is none: \(error.remedy)"
                )
            }
        }
        return rules
    }

    private static func rule(_ scalar: DocumentNode.Scalar) throws(ScalarText.Problem) -> RevokeRule {
        let method = String(scalar.text.prefix { $0 != " " })
        let path = String(scalar.text.dropFirst(method.count).drop { $0 == " " })
        guard !path.isEmpty, !method.hasPrefix("/") else {
            throw ScalarText.Problem(remedy: "write it like POST /logout")
        }
        guard NetworkText.isToken(method) else {
            throw ScalarText.Problem(remedy: "begin it with a method like GET or POST")
        }
        guard method == method.uppercased() else {
            throw ScalarText.Problem(remedy: "methods are case-sensitive, write it in capitals")
        }
        do throws(PathPattern.Malformed) {
            return RevokeRule(method: method, path: try PathPattern(path))
        } catch {
            throw ScalarText.Problem(
                remedy: scalar.variables.isEmpty
                    ? error.description : "the path begins with \"/\" and has whole segments only"
            )
        }
    }
}
