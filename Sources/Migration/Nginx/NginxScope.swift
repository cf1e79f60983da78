/// A server or a location, with what it takes over from the blocks around it.
struct NginxScope {
    /// From the outermost block to the innermost.
    var blocks: [[NginxDirective]]

    func inside(_ block: [NginxDirective]) -> NginxScope { NginxScope(blocks: blocks + [block]) }

    /// What stands in the innermost block.
    var own: [NginxDirective] { blocks.last ?? [] }

    /// The directive that holds: that of the innermost block which has one.
    func directive(_ name: String) -> NginxDirective? {
        for block in blocks.reversed() {
            if let found = block.last(where: { $0.name == name }) { return found }
        }
        return nil
    }

    /// The directives that hold together: all of the innermost block which has one.
    func directives(_ name: String) -> [NginxDirective] {
        for block in blocks.reversed() {
            let found = block.filter { $0.name == name }
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Those that are set and not `off`.
    func active(_ name: String) -> NginxDirective? {
        directive(name).flatMap { $0.first == "off" ? nil : $0 }
    }
}

/// A location, with its place among the others.
struct NginxLocation {
    enum Kind: Equatable {
        case exact
        /// - winsOverRegexes: Written with `^~`.
        case prefix(winsOverRegexes: Bool)
        case regex(ignoresCase: Bool)
        /// `@name`, which requests do not reach by their path.
        case named
    }

    var kind: Kind
    var path: String
    var scope: NginxScope
    var origin: Origin
    /// Its place among all of a server: several may stand in one line.
    var number = 0

    init(_ directive: NginxDirective, in scope: NginxScope) {
        let arguments = directive.arguments
        let sign = arguments.count > 1 ? arguments[0] : ""
        var text = arguments.last ?? ""
        switch sign {
        case "=": kind = .exact
        case "^~": kind = .prefix(winsOverRegexes: true)
        case "~": kind = .regex(ignoresCase: false)
        case "~*": kind = .regex(ignoresCase: true)
        default:
            kind = .prefix(winsOverRegexes: false)
            for (start, other) in [
                ("=", Kind.exact), ("~*", .regex(ignoresCase: true)), ("~", .regex(ignoresCase: false)),
            ]
            where text.hasPrefix(start) {
                kind = other
                text = String(text.dropFirst(start.count))
                break
            }
            if text.hasPrefix("@") { kind = .named }
        }
        path = text
        self.scope = scope.inside(directive.block ?? [])
        origin = directive.origin
    }

    /// The paths that it is for, and whether it lacks some.
    var matched: (matcher: PathMatcher, isNarrower: Bool) {
        switch kind {
        case .exact: return (.exact(path), false)
        case .prefix: return (.prefix(path), false)
        case .regex(let ignoresCase):
            let found = RegexPath.matcher(path, isWhole: false)
            return (found.matcher, found.isNarrower || ignoresCase)
        case .named: return (.untold(path), false)
        }
    }

    /// All locations of a block, also those inside others, with their numbers.
    static func all(in scope: NginxScope) -> [NginxLocation] {
        nested(in: scope).enumerated().map { number, location in
            var numbered = location
            numbered.number = number
            return numbered
        }
    }

    private static func nested(in scope: NginxScope) -> [NginxLocation] {
        scope.own.filter { $0.name == "location" && $0.block != nil }.flatMap { directive in
            let location = NginxLocation(directive, in: scope)
            return [location] + nested(in: location.scope)
        }
    }
}
