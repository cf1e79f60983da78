/// A directive of nginx, with what stands in its braces.
struct NginxDirective: Sendable, Equatable {
    var name: String
    var arguments: [String]
    var origin: Origin
    /// nil for a directive that ends with a semicolon.
    var block: [NginxDirective]?

    var first: String { arguments.first ?? "" }
    var shown: String { ([name] + arguments).joined(separator: " ") }
}

/// Reads nginx's configuration. Files that it includes are read too.
struct NginxParser {
    /// Blocks inside one another.
    private static let mostLevels = 32
    /// Files of one configuration.
    private static let mostFiles = 200
    private static let mostDirectives = 100_000

    /// The files that `include` names; nil if one cannot be read.
    private let included: (String) -> [SourceFile]?
    private var files = 0
    private var directives = 0

    /// - Parameter included: The files that an `include` names, in their order; nil if one cannot be read.
    static func parse(
        _ file: SourceFile,
        included: @escaping (String) -> [SourceFile]?
    ) throws(UntranslatableFile) -> [NginxDirective] {
        var parser = NginxParser(included: included)
        return try parser.parse(file, level: 0)
    }

    private init(included: @escaping (String) -> [SourceFile]?) {
        self.included = included
    }

    private mutating func parse(_ file: SourceFile, level: Int) throws(UntranslatableFile) -> [NginxDirective] {
        files += 1
        guard files <= Self.mostFiles else {
            throw UntranslatableFile("\(file.name): more than \(Self.mostFiles) files include each other")
        }
        var tokens = NginxTokens(file: file)
        return try block(&tokens, level: level, isWhole: true)
    }

    private mutating func block(
        _ tokens: inout NginxTokens,
        level: Int,
        isWhole: Bool
    ) throws(UntranslatableFile) -> [NginxDirective] {
        guard level < Self.mostLevels else {
            throw UntranslatableFile(tokens.origin, "more than \(Self.mostLevels) blocks inside one another")
        }
        var found: [NginxDirective] = []
        var words: [String] = []
        var start = tokens.origin
        while let token = try tokens.next() {
            switch token {
            case .word(let word):
                if words.isEmpty { start = tokens.origin }
                words.append(word)
            case .end:
                guard let name = words.first else { throw UntranslatableFile(tokens.origin, "a \";\" after nothing") }
                let directive = NginxDirective(name: name, arguments: Array(words.dropFirst()), origin: start)
                found += try resolved(directive, level: level)
                words = []
            case .open:
                guard let name = words.first else { throw UntranslatableFile(tokens.origin, "a \"{\" after nothing") }
                var directive = NginxDirective(name: name, arguments: Array(words.dropFirst()), origin: start)
                directive.block =
                    try name.hasSuffix("_by_lua_block")
                    ? tokens.skipBraces() : block(&tokens, level: level + 1, isWhole: false)
                found.append(directive)
                words = []
            case .close:
                guard words.isEmpty else { throw UntranslatableFile(tokens.origin, "a \";\" is missing before \"}\"") }
                guard !isWhole else { throw UntranslatableFile(tokens.origin, "a \"}\" without its \"{\"") }
                return found
            }
            directives += 1
            guard directives <= Self.mostDirectives else {
                throw UntranslatableFile(
                    tokens.origin,
                    "more than \(Self.mostDirectives) words: it is no configuration"
                )
            }
        }
        guard isWhole, words.isEmpty else {
            throw UntranslatableFile(start, "the file ends inside of a block or a directive")
        }
        return found
    }

    private mutating func resolved(
        _ directive: NginxDirective,
        level: Int
    ) throws(UntranslatableFile) -> [NginxDirective] {
        guard directive.name == "include", directive.arguments.count == 1 else { return [directive] }
        if directive.first.hasSuffix("mime.types") { return [] }
        guard let files = included(directive.first) else { return [directive] }
        var found: [NginxDirective] = []
        for file in files { found += try parse(file, level: level + 1) }
        return found
    }
}
