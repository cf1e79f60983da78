/// Turns YAML text into a ``DocumentNode``.
///
/// Aliases are followed. Merge keys (`<<`) and keys that are not text are refused. A key given twice is reported and
/// its first value is kept, so that the rest of the file can still be judged.
struct YAMLDocument {
    /// Values that one file may hold, aliases counted as often as they are used: a few lines can stand for billions.
    static let valueLimit = 100_000

    private let environment: Interpolation
    private var findings: Findings
    private var valueCount = 0

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

    private mutating func compose(_ text: String) -> DocumentNode? {
        do throws(YAMLFailure) {
            guard let root = try YAMLParser.parse(text), !isEmpty(root) else {
                findings.error(.start, "the file is empty: it needs at least \"version\" and \"tenants\"")
                return nil
            }
            let node = convert(root)
            return valueCount > Self.valueLimit ? nil : node
        } catch {
            report(error, TextPositions(text))
            return nil
        }
    }

    private func isEmpty(_ root: YAMLNode) -> Bool {
        guard case .scalar(let text, isPlain: true) = root.content else { return false }
        return text.isEmpty
    }

    private mutating func report(_ failure: YAMLFailure, _ positions: TextPositions) {
        switch failure {
        case .malformed(let problem, let place, let context):
            let started = context.map { "\($0.text) that starts in line \($0.line), " } ?? ""
            findings.error(
                positions.clamp(place),
                "not valid YAML: \(started)\(problem): check indentation (spaces only), brackets and quotes"
            )
        case .unreadable:
            findings.error(
                positions.firstUnreadable,
                "a control character, which YAML does not allow: remove it or escape it"
            )
        case .tooDeep(let place):
            findings.error(place, "more than \(YAMLParser.mostLevels) values inside one another: no key needs as many")
        case .outOfMemory:
            findings.error(.start, "the YAML cannot be read: there is not enough memory")
        }
    }

    private mutating func convert(_ node: YAMLNode) -> DocumentNode {
        valueCount += 1
        let place = node.place
        guard valueCount <= Self.valueLimit else {
            if valueCount == Self.valueLimit + 1 {
                findings.error(place, "the file stands for more than \(Self.valueLimit) values: use fewer aliases")
            }
            return DocumentNode(place: place, content: .unresolved)
        }
        switch node.content {
        case .scalar(let text, let isPlain):
            return DocumentNode(place: place, content: content(of: text, isPlain: isPlain, place))
        case .sequence(let sequence):
            var items: [DocumentNode] = []
            for item in sequence where valueCount <= Self.valueLimit { items.append(convert(item)) }
            return DocumentNode(place: place, content: .list(items))
        case .mapping(let mapping):
            return DocumentNode(place: place, content: .map(entries(of: mapping)))
        }
    }

    private mutating func content(of written: String, isPlain: Bool, _ place: Place) -> DocumentNode.Content {
        if isPlain, ["", "~", "null", "Null", "NULL"].contains(written) { return .null }
        do throws(Interpolation.Problem) {
            let (text, variables) = try environment.resolve(written)
            return .scalar(
                DocumentNode.Scalar(
                    text: text,
                    isPlain: isPlain,
                    isInterpolated: text != written,
                    variables: variables
                )
            )
        } catch {
            findings.error(place, error.description)
            return .unresolved
        }
    }

    private mutating func entries(of mapping: [(key: YAMLNode, value: YAMLNode)]) -> [DocumentNode.Entry] {
        var entries: [DocumentNode.Entry] = []
        var places: [String: Place] = [:]
        for (keyNode, valueNode) in mapping where valueCount <= Self.valueLimit {
            let place = keyNode.place
            let value = convert(valueNode)
            guard case .scalar(let key, let isPlain) = keyNode.content else {
                findings.error(place, "a key must be text: put a text in quotes that begins with \"{\" or \"[\"")
                continue
            }
            guard key != "<<" || !isPlain else {
                findings.error(place, "merge keys (\"<<\") are not read: write the keys out, or alias a whole value")
                continue
            }
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
