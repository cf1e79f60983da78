import ConfigurationText
import Tenants

/// A value of a YAML file that is translated.
struct SourceNode: Sendable {
    /// Values in one file, counting an alias each time it is used: a few lines can stand for billions.
    private static let mostValues = 100_000

    let file: String
    private let node: YAMLNode

    static func read(_ text: String, file: String) throws(UntranslatableFile) -> SourceNode {
        let root: YAMLNode?
        do {
            root = try YAMLParser.parse(text)
        } catch {
            switch error {
            case .malformed(let problem, let position, _):
                throw UntranslatableFile(Origin(file: file, line: position.line), "not valid YAML: \(problem)")
            case .undefinedAlias(let name, let position, _):
                throw UntranslatableFile(
                    Origin(file: file, line: position.line),
                    "*\(name) has no anchor &\(name) before it"
                )
            case .unreadable: throw UntranslatableFile("\(file): a control character, which YAML does not allow")
            case .tooDeep(let position):
                throw UntranslatableFile(Origin(file: file, line: position.line), "values too deep in one another")
            case .tooManyDirectives(let position):
                throw UntranslatableFile(Origin(file: file, line: position.line), "too many lines begin with \"%\"")
            case .tooMuch(let position):
                throw UntranslatableFile(
                    Origin(file: file, line: position.line),
                    "it stands for more than \(mostValues) values: use fewer aliases"
                )
            case .outOfMemory: throw UntranslatableFile("\(file): there is not enough memory to read it")
            }
        }
        guard let root, case .mapping = root.content else {
            throw UntranslatableFile("\(file): a map of settings is expected, which it does not begin with")
        }
        guard root.size <= mostValues else {
            throw UntranslatableFile("\(file): it stands for more than \(mostValues) values: use fewer aliases")
        }
        return SourceNode(file: file, node: root)
    }

    private init(file: String, node: YAMLNode) {
        self.file = file
        self.node = node
    }

    var origin: Origin { Origin(file: file, line: node.position.line) }

    var items: [SourceNode] {
        guard case .sequence(let items) = node.content else { return [] }
        return items.map { SourceNode(file: file, node: $0) }
    }

    /// The keys are as they are written.
    var entries: [(key: String, origin: Origin, value: SourceNode)] {
        guard case .mapping(let entries) = node.content else { return [] }
        return entries.compactMap { entry in
            guard case .scalar(let key, _) = entry.key.content else { return nil }
            let origin = Origin(file: file, line: entry.key.position.line)
            return (key, origin, SourceNode(file: file, node: entry.value))
        }
    }

    /// - Parameter key: In snake case; the file may have it in camel case, as JSON of protocol buffers does.
    subscript(key: String) -> SourceNode? {
        entries.first { Self.snakeCase($0.key) == key }?.value
    }

    /// What a way of keys leads to.
    subscript(way: [String]) -> SourceNode? {
        way.reduce(self) { $0?[$1] }
    }

    var text: String? {
        guard case .scalar(let text, let isPlain) = node.content else { return nil }
        return isPlain && ["", "~", "null", "Null", "NULL"].contains(text) ? nil : text
    }

    var isTrue: Bool { text?.lowercased() == "true" }
    var number: Int? { text.flatMap { Int($0) } }

    static func snakeCase(_ name: String) -> String {
        var result = ""
        for character in name {
            if character.isUppercase, character.isASCII {
                if !result.isEmpty, result.last?.isLowercase == true || result.last?.isNumber == true { result += "_" }
                result += character.lowercased()
            } else {
                result.append(character)
            }
        }
        return result
    }
}
