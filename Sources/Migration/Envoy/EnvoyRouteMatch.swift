/// What a route or a rule of `jwt_authn` matches.
enum EnvoyRouteMatch {
    struct Matched: Equatable {
        var matcher: PathMatcher
        var methods: [String] = []
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
                guard let methods = methods(entry.value) else {
                    isWhole = false
                    continue
                }
                matched.methods = methods
            case "case_sensitive" where entry.value.isTrue: break
            // Paths in other cases are matched too, which no pattern tells.
            case "case_sensitive": matched.isNarrower = true
            default: isWhole = false
            }
        }
        return isWhole ? matched : Matched(matcher: .untold("of line \(match.origin.line), under a condition"))
    }

    /// - Returns: nil for conditions on anything but the method.
    private static func methods(_ headers: SourceNode) -> [String]? {
        guard headers.items.count == 1, let header = headers.items.first, header["name"]?.text == ":method",
            header["invert_match"] == nil
        else { return nil }
        let exact = header["string_match"]?["exact"]?.text ?? header["exact_match"]?.text
        guard let exact, !exact.isEmpty, exact == exact.uppercased() else { return nil }
        return [exact]
    }
}
