/// Reads the few shapes of regular expressions that paths are usually matched with.
package enum RegexPath {
    /// - Parameters:
    ///   - regex: In the syntax of RE2 or PCRE.
    ///   - isWhole: Whether it has to match the whole path; otherwise any part of it will do.
    /// - Returns: The matcher, and whether it lacks paths that the expression matches; `untold` for all other shapes.
    package static func matcher(_ regex: String, isWhole: Bool) -> (matcher: PathMatcher, isNarrower: Bool) {
        var rest = regex[...]
        let isAnchored = rest.hasPrefix("^")
        if isAnchored { rest = rest.dropFirst() }
        guard let (literal, end, isExact) = literalStart(rest), literal.hasPrefix("/") else {
            return (.untold(regex), true)
        }
        let isFixedStart = (isWhole || isAnchored) && isExact
        let tail = String(end)
        switch tail {
        case "$": return (.exact(literal), !isFixedStart)
        case "": return (isWhole ? .exact(literal) : .prefix(literal), !isFixedStart)
        case ".*", ".*$": return (.prefix(literal), !isFixedStart)
        case "(/.*)?", "(/.*)?$", "(?:/.*)?", "(?:/.*)?$":
            guard isWhole || tail.hasSuffix("$") else { return (.prefix(literal), !isFixedStart) }
            return (.below(literal), !isFixedStart)
        case "(/|$)", "(?:/|$)", "($|/)", "(?:$|/)":
            guard !isWhole else { break }
            return (.below(literal), !isFixedStart)
        default:
            if let pattern = segments(literal, end, isWhole: isWhole) { return (.pattern(pattern), !isFixedStart) }
        }
        return (.untold(regex), true)
    }

    /// The text before the first character with a meaning, escapes resolved. A dot in a name is taken for a dot, which
    /// is one of the characters that it matches.
    private static func literalStart(_ text: Substring) -> (literal: String, rest: Substring, isExact: Bool)? {
        var literal = ""
        var rest = text
        var isExact = true
        while let character = rest.first {
            if character == "\\" {
                guard let escaped = rest.dropFirst().first, ".-/_+~".contains(escaped) else { return nil }
                literal.append(escaped)
                rest = rest.dropFirst(2)
            } else if character == ".", let next = rest.dropFirst().first, next.isLetter || next.isNumber {
                literal.append(character)
                rest = rest.dropFirst()
                isExact = false
            } else if ".*+?()[]{}|^$".contains(character) {
                break
            } else {
                literal.append(character)
                rest = rest.dropFirst()
            }
        }
        // What follows a character says how often it may come.
        if let next = rest.first, "*+?{".contains(next) { return nil }
        return (literal, rest, isExact)
    }

    /// `/orders/[^/]+/notes$` as `/orders/*/notes`.
    private static func segments(_ start: String, _ end: Substring, isWhole: Bool) -> String? {
        guard start.hasSuffix("/") else { return nil }
        var pattern = start
        var rest = end
        let any = "[^/]+"
        while rest.hasPrefix(any) {
            pattern += "*"
            rest = rest.dropFirst(any.count)
            guard let (literal, next, isExact) = literalStart(rest), isExact else { return nil }
            guard literal.isEmpty || (literal.hasPrefix("/") && !literal.contains("*")) else { return nil }
            pattern += literal
            rest = next
        }
        guard rest == "$" || (rest.isEmpty && isWhole) else { return nil }
        return pattern
    }
}
