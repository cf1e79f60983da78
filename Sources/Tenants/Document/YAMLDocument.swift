/// Turns YAML text into a ``DocumentNode``.
///
/// Aliases are followed. Merge keys (`<<`) and keys that are not text are refused. A key given twice is reported and
/// its first value is kept, so that the rest of the file can still be checked.
struct YAMLDocument {
    /// Maximum of values in one file, counting an alias each time it is used: a few lines can stand for billions.
    static let valueLimit = 100_000
    /// Maximum of bytes in all its texts, counted likewise.
    static let byteLimit = 16 << 20

    private let environment: Interpolation
    private let findings: Findings
    private var valueCount = 0
    private var byteCount = 0
    private var isTooMuchReported = false
    private var hasTooMuch: Bool { valueCount > Self.valueLimit || byteCount > Self.byteLimit }

    /// - Returns: The root value; nil if the text is empty or not YAML.
    static func read(_ text: String, environment: [String: String], into findings: Findings) -> DocumentNode? {
        var document = YAMLDocument(environment: Interpolation(environment: environment), findings: findings)
        return document.compose(text)
    }

    private init(environment: Interpolation, findings: Findings) {
        self.environment = environment
        self.findings = findings
    }

    private mutating func compose(_ text: String) -> DocumentNode? {
        do throws(YAMLFailure) {
            guard let root = try YAMLParser.parse(text), !isEmpty(root) else {
                findings.error(.start, "the file is empty: it needs at least \"version\" and \"tenants\"")
                return nil
            }
            let node = convert(root)
            return isTooMuchReported ? nil : node
        } catch {
            report(error, TextPositions(text))
            return nil
        }
    }

    private func isEmpty(_ root: YAMLNode) -> Bool {
        guard case .scalar(let text, isPlain: true) = root.content else { return false }
        return text.isEmpty
    }

    private func report(_ failure: YAMLFailure, _ positions: TextPositions) {
        switch failure {
        case .malformed(let problem, let position, let context):
            let found = positions.character(at: position)
            findings.error(positions.clamp(position), YAMLProblem.message(problem, context, found: found))
        case .undefinedAlias(let name, let position, let isInside):
            findings.error(position, "not valid YAML: \(YAMLProblem.undefinedAlias(name, isInside: isInside))")
        case .unreadable:
            findings.error(
                positions.firstUnreadable,
                "a control character, which YAML does not allow: remove it or escape it"
            )
        case .tooDeep(let position):
            findings.error(
                position,
                "more than \(YAMLParser.mostLevels) values inside one another: no key needs as many"
            )
        case .outOfMemory:
            findings.error(.start, "the YAML cannot be read: there is not enough memory")
        }
    }

    private mutating func convert(_ node: YAMLNode) -> DocumentNode {
        valueCount += 1
        let position = node.position
        guard !hasTooMuch else {
            reportTooMuch(at: position)
            return DocumentNode(position: position, content: .unresolved)
        }
        switch node.content {
        case .scalar(let text, let isPlain):
            return DocumentNode(position: position, content: content(of: text, isPlain: isPlain, position))
        case .sequence(let sequence):
            var items: [DocumentNode] = []
            for item in sequence where !isTooMuchReported { items.append(convert(item)) }
            return DocumentNode(position: position, content: .list(items))
        case .mapping(let mapping):
            return DocumentNode(position: position, content: .map(entries(of: mapping)))
        }
    }

    private mutating func reportTooMuch(at position: Position) {
        guard !isTooMuchReported else { return }
        isTooMuchReported = true
        let limit = valueCount > Self.valueLimit ? "\(Self.valueLimit) values" : "\(Self.byteLimit >> 20) MiB"
        findings.error(position, "the file stands for more than \(limit): use fewer aliases")
    }

    private mutating func content(of written: String, isPlain: Bool, _ position: Position) -> DocumentNode.Content {
        if isPlain, ["", "~", "null", "Null", "NULL"].contains(written) { return .null }
        do throws(Interpolation.Problem) {
            let (text, variables) = try environment.resolve(written)
            byteCount += text.utf8.count
            return .scalar(
                DocumentNode.Scalar(
                    text: text,
                    isPlain: isPlain,
                    isInterpolated: text != written,
                    variables: variables
                )
            )
        } catch {
            findings.error(position, error.description)
            return .unresolved
        }
    }

    private mutating func entries(of mapping: [(key: YAMLNode, value: YAMLNode)]) -> [DocumentNode.Entry] {
        var entries: [DocumentNode.Entry] = []
        var positions: [String: Position] = [:]
        for (keyNode, valueNode) in mapping where !isTooMuchReported {
            let position = keyNode.position
            guard case .scalar(let key, let isPlain) = keyNode.content else {
                findings.error(position, "a key must be text: put a text in quotes that begins with \"{\" or \"[\"")
                continue
            }
            guard key != "<<" || !isPlain else {
                findings.error(position, "merge keys (\"<<\") are not read: write the keys out, or alias a whole value")
                continue
            }
            let value = convert(valueNode)
            if let first = positions[key] {
                let (earlier, later) = (min(first, position), max(first, position))
                findings.error(
                    later,
                    "\"\(key)\" is given twice, first in line \(earlier.line): keep one of them"
                )
                continue
            }
            positions[key] = position
            entries.append(DocumentNode.Entry(key: key, keyPosition: position, value: value))
        }
        return entries
    }
}
