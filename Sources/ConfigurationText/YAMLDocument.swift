/// Turns YAML text into a ``DocumentNode``.
///
/// Aliases and merge keys (`<<`) are followed; what they stand for is shared, not copied. Keys that are not text are
/// refused. A key given twice is reported and its first value is kept, so that the rest of the file can still be checked.
package struct YAMLDocument {
    private static let mergeKey = "<<"
    /// Keys up to which a map is searched from its first one for a key that is there twice.
    private static let longestSearch = 12

    private let source: DocumentSource
    private let environment: Interpolation
    private let budget: RepetitionBudget
    private let findings: Findings
    /// What aliases may stand for, by the place where it is written.
    private var anchored: [Position: DocumentNode] = [:]
    private var isTooMuchReported = false

    /// - Returns: The root value; nil if the text is empty or not YAML, which is reported.
    package static func read(_ text: String, environment: [String: String], into findings: Findings) -> DocumentNode? {
        let file = read(text, of: .main, environment: environment, budget: RepetitionBudget(), into: findings)
        if case .empty = file {
            findings.error(.start, "the file is empty: it needs at least \"version\" and \"tenants\"")
        }
        return file.root
    }

    package enum Content {
        case root(DocumentNode)
        /// Nothing, or comments only.
        case empty
        /// No YAML, which was reported.
        case unreadable

        package var root: DocumentNode? {
            if case .root(let root) = self { root } else { nil }
        }
    }

    /// - Parameters:
    ///   - source: That of the positions.
    ///   - budget: For what aliases, merge keys and variables repeat.
    package static func read(
        _ text: String,
        of source: DocumentSource,
        environment: [String: String],
        budget: RepetitionBudget,
        into findings: Findings
    ) -> Content {
        var document = YAMLDocument(
            source: source,
            environment: Interpolation(environment: environment),
            budget: budget,
            findings: findings
        )
        return document.compose(text)
    }

    private init(source: DocumentSource, environment: Interpolation, budget: RepetitionBudget, findings: Findings) {
        self.source = source
        self.environment = environment
        self.budget = budget
        self.findings = findings
    }

    private mutating func compose(_ text: String) -> Content {
        do throws(YAMLFailure) {
            guard let root = try YAMLParser.parse(text, of: source, budget: budget), !isEmpty(root) else {
                return .empty
            }
            let node = convert(root)
            return isTooMuchReported ? .unreadable : .root(node)
        } catch {
            report(error, TextPositions(text, in: source))
            return .unreadable
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
        case .tooManyDirectives(let position):
            findings.error(position, "more than \(YAMLDirectives.most) lines that begin with \"%\": leave them out")
        case .tooMuch(let position): findings.error(position, RepetitionBudget.message)
        case .outOfMemory:
            findings.error(.start(of: source), "the YAML cannot be read: there is not enough memory")
        }
    }

    // MARK: Values

    private mutating func convert(_ node: YAMLNode) -> DocumentNode {
        guard node.isAnchored else { return DocumentNode(position: node.position, content: content(of: node)) }
        if let known = anchored[node.position] { return known }
        let value = DocumentNode(position: node.position, content: content(of: node))
        anchored[node.position] = value
        return value
    }

    private mutating func content(of node: YAMLNode) -> DocumentNode.Content {
        switch node.content {
        case .scalar(let text, let isPlain): return scalar(text, isPlain: isPlain, node.position)
        case .sequence(let sequence):
            var items: [DocumentNode] = []
            items.reserveCapacity(sequence.count)
            for item in sequence where !isTooMuchReported { items.append(convert(item)) }
            return .list(items)
        case .mapping(let mapping): return .map(entries(of: mapping))
        }
    }

    private mutating func scalar(_ written: String, isPlain: Bool, _ position: Position) -> DocumentNode.Content {
        if isPlain, ["", "~", "null", "Null", "NULL"].contains(written) { return .null }
        do throws(Interpolation.Problem) {
            let (text, variables) = try environment.resolve(written)
            if !variables.isEmpty { count(text, position) }
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

    private mutating func count(_ text: String, _ position: Position) {
        guard !budget.take(RepetitionBudget.weight(ofBytes: text.utf8.count)), !isTooMuchReported else { return }
        isTooMuchReported = true
        findings.error(position, RepetitionBudget.message)
    }

    // MARK: Maps

    private mutating func entries(of mapping: [(key: YAMLNode, value: YAMLNode)]) -> [DocumentNode.Entry] {
        var entries: [DocumentNode.Entry] = []
        entries.reserveCapacity(mapping.count)
        var positions: [String: Position] = [:]
        let isSearched = mapping.count <= Self.longestSearch
        var merged: (value: YAMLNode, position: Position)?
        for (keyNode, valueNode) in mapping where !isTooMuchReported {
            let position = keyNode.position
            guard case .scalar(let key, let isPlain) = keyNode.content else {
                findings.error(position, "a key must be text: put a text in quotes that begins with \"{\" or \"[\"")
                continue
            }
            if key == Self.mergeKey, isPlain {
                if let merged { reportSecond(key, at: position, first: merged.position) }
                merged = merged ?? (valueNode, position)
                continue
            }
            let first = isSearched ? entries.first { $0.key == key }?.keyPosition : positions[key]
            if let first {
                reportSecond(key, at: position, first: first)
                continue
            }
            if !isSearched { positions[key] = position }
            entries.append(DocumentNode.Entry(key: key, keyPosition: position, value: convert(valueNode)))
        }
        if let merged { merge(merged.value, into: &entries) }
        return entries
    }

    private func reportSecond(_ key: String, at position: Position, first: Position) {
        let (earlier, later) = (min(first, position), max(first, position))
        let remedy = key == Self.mergeKey ? "write one, with a list: <<: [*one, *other]" : "keep one of them"
        findings.error(later, "\"\(key)\" is given twice, first in line \(earlier.line): \(remedy)")
    }

    /// A merge key's value (YAML 1.1, type `merge`): a map, whose keys are those of the map around it unless that has them
    /// itself, or a list of such maps, of which the earlier ones win.
    private mutating func merge(_ value: YAMLNode, into entries: inout [DocumentNode.Entry]) {
        var maps: [YAMLNode] = []
        switch value.content {
        case .mapping: maps = [value]
        case .sequence(let items): maps = items
        case .scalar: break
        }
        var isWrong = maps.isEmpty
        var known = Set(entries.map(\.key))
        for map in maps {
            guard case .mapping = map.content else {
                isWrong = true
                continue
            }
            for entry in convert(map).entries where known.insert(entry.key).inserted { entries.append(entry) }
        }
        if isWrong {
            findings.error(
                value.position,
                "\"<<\" takes a map, or a list of maps, whose keys are added here: write it like <<: *name, with "
                    + "&name before a map above"
            )
        }
    }
}
