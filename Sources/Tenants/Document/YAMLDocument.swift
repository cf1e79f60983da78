import Yams

/// Turns YAML text into a ``DocumentNode``; the one file that knows the YAML library.
///
/// Aliases are followed. Merge keys (`<<`) and keys that are not text are refused. A key given twice is reported and
/// its first value is kept, so that the rest of the file can still be judged.
struct YAMLDocument {
    /// Values that one file may hold, aliases counted as often as they are used: a few lines can stand for billions.
    static let valueLimit = 100_000

    private let environment: Interpolation
    private var findings: Findings
    private var valueCount = 0
    private var duplicateKeys = DuplicateKeys()

    /// - Returns: The root value, or nil where the text is no YAML or holds nothing.
    static func read(
        _ text: String,
        environment: [String: String],
        into findings: inout Findings
    ) -> DocumentNode? {
        var document = YAMLDocument(environment: Interpolation(environment: environment), findings: findings)
        let root = document.compose(text)
        findings = document.findings
        return root
    }

    private init(environment: Interpolation, findings: Findings) {
        self.environment = environment
        self.findings = findings
    }

    private mutating func compose(_ original: String) -> DocumentNode? {
        let positions = TextPositions(original)
        var text = original
        while true {
            do {
                guard let root = try Parser(yaml: text, encoding: .utf8).singleRoot(), !isEmpty(root) else {
                    findings.error(.start, "the file is empty: it needs at least \"version\" and \"tenants\"")
                    return nil
                }
                let node = try convert(root)
                return valueCount > Self.valueLimit ? nil : node
            } catch YamlError.duplicatedKeysInMapping(let names, let context) {
                let place = Place(line: context.mark.line, column: context.mark.column)
                let name = names.first ?? ""
                guard let renamed = duplicateKeys.rename(name, at: place, in: text) else {
                    findings.error(positions.clamp(place), "\"\(name)\" is given twice in this map: keep one")
                    return nil
                }
                text = renamed
            } catch let error as YamlError {
                report(error, positions)
                return nil
            } catch {
                findings.error(.start, "the YAML cannot be read")
                return nil
            }
        }
    }

    private func isEmpty(_ root: Node) -> Bool {
        guard case .scalar(let scalar) = root else { return false }
        return scalar.string.isEmpty && scalar.style == .plain
    }

    private mutating func report(_ error: YamlError, _ positions: TextPositions) {
        switch error {
        case .scanner(let context, let problem, let mark, _),
            .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let place = positions.clamp(Place(line: mark.line, column: mark.column))
            let started = context.map { "\($0.text) that starts in line \($0.mark.line), " } ?? ""
            findings.error(
                place,
                "not valid YAML: \(started)\(problem): check indentation (spaces only), brackets and quotes"
            )
        case .reader:
            findings.error(
                positions.firstUnreadable,
                "a control character, which YAML does not allow: remove it or escape it"
            )
        default:
            findings.error(.start, "the YAML cannot be read")
        }
    }

    private mutating func convert(_ node: Node) throws -> DocumentNode {
        valueCount += 1
        let place = node.mark.map { Place(line: $0.line, column: $0.column) } ?? .start
        guard valueCount <= Self.valueLimit else {
            if valueCount == Self.valueLimit + 1 {
                findings.error(place, "the file stands for more than \(Self.valueLimit) values: use fewer aliases")
            }
            return DocumentNode(place: place, content: .unresolved)
        }
        switch node {
        case .scalar(let scalar):
            return DocumentNode(place: place, content: content(of: scalar, place))
        case .sequence(let sequence):
            var items: [DocumentNode] = []
            for item in sequence where valueCount <= Self.valueLimit { items.append(try convert(item)) }
            return DocumentNode(place: place, content: .list(items))
        case .mapping(let mapping):
            return DocumentNode(place: place, content: .map(try entries(of: mapping)))
        case .alias:
            return DocumentNode(place: place, content: .unresolved)
        }
    }

    private mutating func content(of scalar: Node.Scalar, _ place: Place) -> DocumentNode.Content {
        let isPlain = scalar.style == .plain
        if isPlain, ["", "~", "null", "Null", "NULL"].contains(scalar.string) { return .null }
        do throws(Interpolation.Problem) {
            let (text, variables) = try environment.resolve(scalar.string)
            return .scalar(
                DocumentNode.Scalar(
                    text: text,
                    isPlain: isPlain,
                    isInterpolated: text != scalar.string,
                    variables: variables
                )
            )
        } catch {
            findings.error(place, error.description)
            return .unresolved
        }
    }

    private mutating func entries(of mapping: Node.Mapping) throws -> [DocumentNode.Entry] {
        var entries: [DocumentNode.Entry] = []
        var places: [String: Place] = [:]
        for (keyNode, valueNode) in mapping where valueCount <= Self.valueLimit {
            let place = keyNode.mark.map { Place(line: $0.line, column: $0.column) } ?? .start
            let value = try convert(valueNode)
            guard let scalar = keyNode.scalar else {
                findings.error(place, "a key must be text: put a text in quotes that begins with \"{\" or \"[\"")
                continue
            }
            guard scalar.string != "<<" || scalar.style != .plain else {
                findings.error(place, "merge keys (\"<<\") are not read: write the keys out, or alias a whole value")
                continue
            }
            let key = duplicateKeys.original(at: place) ?? scalar.string
            if let first = places[key] {
                let (earlier, later) = (min(first, place), max(first, place))
                findings.error(
                    later,
                    "\"\(key)\" is given twice, first in line \(earlier.line): keep one of them"
                )
                continue
            }
            places[key] = place
            entries.append(DocumentNode.Entry(key: key, keyPlace: place, value: value))
        }
        return entries
    }
}
