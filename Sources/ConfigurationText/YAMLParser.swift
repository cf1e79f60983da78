import CYAML

/// Turns YAML text into its values by libyaml, whose events it puts together. Aliases are followed: what they stand for
/// is shared, not copied.
package struct YAMLParser: ~Copyable {
    /// Values inside one another, those of aliases included: reading a value recurses once for each level.
    static let mostLevels = 100

    /// Given back by `deinit`, also where `init` fails.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private var anchors: [String: YAMLNode] = [:]
    /// Those of the values that are being read.
    private var unfinished: [String] = []
    private let source: DocumentSource
    private let budget: RepetitionBudget

    /// - Returns: The value that the text holds; nil if it holds none.
    package static func parse(_ text: String) throws(YAMLFailure) -> YAMLNode? {
        try parse(text, of: .main, budget: RepetitionBudget())
    }

    /// - Parameters:
    ///   - source: That of the positions.
    ///   - budget: For what aliases repeat.
    /// - Returns: The value that the text holds; nil if it holds none.
    static func parse(
        _ text: String,
        of source: DocumentSource,
        budget: RepetitionBudget
    ) throws(YAMLFailure) -> YAMLNode? {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { return nil }
        if let line = YAMLDirectives.firstTooMany(in: bytes) {
            throw .tooManyDirectives(Position(line: line, column: 1, source: source))
        }
        return try bytes.withUnsafeBufferPointer { (input) throws(YAMLFailure) in
            var parser = try YAMLParser(input, source, budget)
            return try parser.document()
        }
    }

    /// - Parameter input: UTF-8; must outlive the parser.
    private init(
        _ input: UnsafeBufferPointer<UInt8>,
        _ source: DocumentSource,
        _ budget: RepetitionBudget
    ) throws(YAMLFailure) {
        self.source = source
        self.budget = budget
        parser = .allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        guard yaml_parser_initialize(parser) == 1 else { throw .outOfMemory }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    // MARK: Values

    private mutating func document() throws(YAMLFailure) -> YAMLNode? {
        _ = try next()
        guard case .begins = try next().kind else { return nil }
        let root = try value(of: try next(), level: 1)
        _ = try next()
        let after = try next()
        guard case .begins = after.kind else { return root }
        throw .malformed(
            problem: "but found another document",
            at: after.position,
            context: YAMLFailure.Context(text: "expected a single document in the stream", line: 1)
        )
    }

    private mutating func value(of event: Event, level: Int) throws(YAMLFailure) -> YAMLNode {
        guard level <= Self.mostLevels else { throw .tooDeep(event.position) }
        if let anchor = event.anchor { unfinished.append(anchor) }
        let content: YAMLNode.Content
        switch event.kind {
        case .scalar(let text, let isPlain): content = .scalar(text, isPlain: isPlain)
        case .sequence: content = .sequence(try items(level: level + 1))
        case .mapping: content = .mapping(try entries(level: level + 1))
        case .alias(let name):
            guard let node = anchors[name] else {
                throw .undefinedAlias(name, at: event.position, isInside: unfinished.contains(name))
            }
            guard level - 1 + Int(node.height) <= Self.mostLevels else { throw .tooDeep(event.position) }
            guard budget.take(Int(node.size)) else { throw .tooMuch(event.position) }
            return node
        case .begins, .ends:
            assertionFailure("libyaml begins and ends documents outside of values only")
            throw .malformed(problem: "found no value", at: event.position, context: nil)
        }
        let node = YAMLNode(position: event.position, content: content, isAnchored: event.anchor != nil)
        if let anchor = event.anchor {
            unfinished.removeLast()
            anchors[anchor] = node
        }
        return node
    }

    private mutating func items(level: Int) throws(YAMLFailure) -> [YAMLNode] {
        var items: [YAMLNode] = []
        while true {
            let event = try next()
            if case .ends = event.kind { return items }
            items.append(try value(of: event, level: level))
        }
    }

    private mutating func entries(level: Int) throws(YAMLFailure) -> [(key: YAMLNode, value: YAMLNode)] {
        var entries: [(key: YAMLNode, value: YAMLNode)] = []
        while true {
            let event = try next()
            if case .ends = event.kind { return entries }
            let key = try value(of: event, level: level)
            entries.append((key, try value(of: try next(), level: level)))
        }
    }

    // MARK: Events

    private struct Event {
        enum Kind {
            /// The stream, or a document.
            case begins
            /// A sequence, a mapping, a document or the stream.
            case ends
            case scalar(String, isPlain: Bool)
            case sequence
            case mapping
            case alias(String)
        }

        let kind: Kind
        let position: Position
        var anchor: String?
    }

    private func next() throws(YAMLFailure) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw failure }
        defer { yaml_event_delete(&event) }
        let position = Position(event.start_mark, in: source)
        switch event.type {
        case YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT: return Event(kind: .begins, position: position)
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            let kind = Event.Kind.scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
            return Event(kind: kind, position: position, anchor: Self.text(scalar.anchor))
        case YAML_SEQUENCE_START_EVENT:
            return Event(kind: .sequence, position: position, anchor: Self.text(event.data.sequence_start.anchor))
        case YAML_MAPPING_START_EVENT:
            return Event(kind: .mapping, position: position, anchor: Self.text(event.data.mapping_start.anchor))
        case YAML_ALIAS_EVENT:
            return Event(kind: .alias(Self.text(event.data.alias.anchor) ?? ""), position: position)
        default: return Event(kind: .ends, position: position)
        }
    }

    private static func text(_ bytes: UnsafePointer<UInt8>?) -> String? {
        bytes.map { String(cString: $0) }
    }

    private var failure: YAMLFailure {
        switch parser.pointee.error {
        case YAML_MEMORY_ERROR: return .outOfMemory
        case YAML_READER_ERROR: return .unreadable
        default:
            let context = parser.pointee.context.map { text in
                YAMLFailure.Context(
                    text: String(cString: text),
                    line: Position(parser.pointee.context_mark, in: source).line
                )
            }
            return .malformed(
                problem: parser.pointee.problem.map { String(cString: $0) } ?? "the YAML cannot be read",
                at: Position(parser.pointee.problem_mark, in: source),
                context: context
            )
        }
    }
}

extension Position {
    /// libyaml counts from 0.
    fileprivate init(_ mark: yaml_mark_t, in source: DocumentSource) {
        self.init(line: Int(clamping: mark.line) + 1, column: Int(clamping: mark.column) + 1, source: source)
    }
}
