/// What a route or a rule of `jwt_authn` matches.
enum EnvoyRouteMatch {
    struct Matched: Equatable {
        var matcher: PathMatcher
        var methods: [String] = []
        /// What other fields of a request must be.
        var headers: [DraftHeader] = []
        var isNarrower = false
    }

    static func read(_ match: SourceNode?) -> Matched {
        guard let match else { return Matched(matcher: .untold("without a match")) }
        var matched = Matched(matcher: .untold("of line \(match.origin.line)"))
        var isWhole = true
        for entry in match.entries {
            switch SourceNode.snakeCase(entry.key) {
            case "prefix": matched.matcher = .prefix(entry.value.text ?? "")
            case "path": matched.matcher = .exact(entry.value.text ?? "")
            case "path_separated_prefix": matched.matcher = .below(entry.value.text ?? "")
            case "safe_regex":
                let found = RegexPath.matcher(entry.value["regex"]?.text ?? "", isWhole: true)
                (matched.matcher, matched.isNarrower) = (found.matcher, found.isNarrower)
            case "headers":
                guard let conditions = conditions(entry.value) else {
                    isWhole = false
                    continue
                }
                (matched.methods, matched.headers) = conditions
            case "case_sensitive" where entry.value.isTrue: break
            // Paths in other cases are matched too, which no pattern tells.
            case "case_sensitive": matched.isNarrower = true
            default: isWhole = false
            }
        }
        return isWhole ? matched : Matched(matcher: .untold("of line \(match.origin.line), under a condition"))
    }

    /// The same for what is not told apart by other fields than the path.
    static func withoutFields(_ match: SourceNode?) -> Matched {
        let matched = read(match)
        guard !matched.headers.isEmpty, let line = match?.origin.line else { return matched }
        return Matched(matcher: .untold("of line \(line), under a condition"))
    }

    /// - Returns: nil for a condition that is none on a whole value.
    private static func conditions(_ headers: SourceNode) -> (methods: [String], headers: [DraftHeader])? {
        var (methods, fields): ([String], [DraftHeader]) = ([], [])
        for header in headers.items {
            guard let name = header["name"]?.text, header["invert_match"] == nil else { return nil }
            let exact = header["string_match"]?["exact"]?.text ?? header["exact_match"]?.text
            let isPresent = header["present_match"]?.isTrue == true
            guard let value = exact ?? (isPresent ? "*" : nil), !value.isEmpty else { return nil }
            if name == ":method" {
                guard methods.isEmpty, exact != nil, value == value.uppercased() else { return nil }
                methods = [value]
            } else {
                guard FieldName.mayBeChanged(name), exact != "*", header["string_match"]?["ignore_case"] == nil,
                    !fields.contains(where: { FieldName.folded($0.name) == FieldName.folded(name) })
                else { return nil }
                fields.append(DraftHeader(name: name, value: DraftText(literal: value, header.origin)))
            }
        }
        return (methods, fields)
    }
}
