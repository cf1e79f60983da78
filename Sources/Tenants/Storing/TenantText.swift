import ConfigurationText
public import Verification

/// The keys of one tenant as YAML text, as the store keeps them: what is below the tenant's name in tenants.yaml.
///
/// No description, dump or mirror shows the text, since it may have secrets.
public struct TenantText: Sendable, CustomStringConvertible, CustomReflectable {
    /// What is shown instead of a secret, and keeps a secret where it is written.
    public static let placeholder = "<secret>"

    /// What is wrong with a text, with its place in it.
    public struct Mistake: Error, Sendable, Equatable {
        /// From 1.
        public var line: Int
        /// From 1, in Unicode scalars.
        public var column: Int
        public var message: String

        public init(line: Int, column: Int, message: String) {
            self.line = line
            self.column = column
            self.message = message
        }
    }

    /// The text, with its secrets.
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// A JSON object as text: JSON with a line for each member is YAML.
    public init(_ json: JSONObject) {
        text = IndentedJSON.text(of: .object(json)) + "\n"
    }

    /// Keys that were read, as text; nil if they are no map.
    init?(keys: DocumentNode) {
        guard let json = Self.json(keys, Self.type).object else { return nil }
        self.init(json)
    }

    public var description: String { "the text of a tenant" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The text with ``placeholder`` for each secret; nil if it is no map in YAML.
    public var withoutSecrets: String? {
        guard let root, let ranges = ScalarRanges(text) else { return nil }
        let positions = TenantSecrets.positions(in: root, Self.type)
        return ranges.replacing(
            in: text,
            with: Dictionary(positions.map { ($0, Self.placeholder) }) { first, _ in first }
        )
    }

    /// The text with the secrets of `old` for each ``placeholder``.
    ///
    /// - Parameter old: The version that it replaces; nil if it is new.
    /// - Returns: The text as it was given if it is no map in YAML, which reading it reports.
    /// - Throws: The places where there was no secret.
    public func completed(from old: TenantText?) throws(Mistakes) -> TenantText {
        guard let root, let ranges = ScalarRanges(text) else { return self }
        var secrets = TenantSecrets(placeholder: Self.placeholder)
        secrets.find(in: root, old?.root, Self.type)
        guard secrets.unknown.isEmpty else {
            throw Mistakes(
                secrets.unknown.map {
                    Mistake(line: $0.position.line, column: $0.position.column, message: $0.message)
                }
            )
        }
        return secrets.values.isEmpty ? self : TenantText(ranges.replacing(in: text, with: secrets.values))
    }

    /// All that is wrong with a text.
    public struct Mistakes: Error, Sendable, Equatable {
        public var all: [Mistake]

        public init(_ all: [Mistake]) {
            self.all = all
        }
    }

    /// References to the environment, which a text of the store must not have: it could show any tenant's secrets.
    public var references: [Mistake] {
        (ScalarRanges(text)?.references ?? []).map { position in
            Mistake(
                line: position.line,
                column: position.column,
                message:
                    "a tenant of the store takes nothing from the environment: write the value itself; secrets are "
                    + "sealed and not shown"
            )
        }
    }

    /// A file of the gateway that a text names: one who may write one tenant could read another's file by it.
    public struct NamedFile: Sendable {
        /// What a file is named for. The same file below another key is another thing: a private key that is a page of
        /// refusals is shown to everybody.
        public struct Use: Sendable, Hashable {
            /// The keys down to it; the items of a list are one place, since they may move.
            fileprivate var place: [[UInt8]]
            fileprivate var path: [UInt8]
        }

        public var path: String
        public var use: Use
        /// For one who must not name it here.
        public var mistake: Mistake
    }

    /// The files that it names, in the order of the text.
    public var namedFiles: [NamedFile] {
        root.map { Self.files(in: $0, Self.type, []) } ?? []
    }

    /// As JSON, without secrets; nil if it is no map in YAML.
    public var json: JSONObject? {
        guard let text = withoutSecrets, let root = TenantText(text).root else { return nil }
        return Self.json(root, Self.type).object
    }

    /// Whether a tenant can have this name.
    public static func isName(_ text: String) -> Bool {
        (1...63).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isLetterDigit(or: "-_") }
    }

    /// Its hosts, each with the path prefix if there is one, without those that are none.
    public var routes: [String] {
        guard let root else { return [] }
        let prefix = root[Schema.tenant.pathPrefix]?.filled?.text ?? "/"
        return (root[Schema.tenant.hosts]?.items ?? []).compactMap { item in
            guard let scalar = item.filled, let host = try? NetworkText.hostPattern(scalar.text) else { return nil }
            return "\(host)\(prefix == "/" ? "" : prefix)"
        }
    }

    static var type: SchemaType { .object(Schema.tenant.object) }

    /// Nil if it is no map in YAML.
    private var root: DocumentNode? {
        guard let root = YAMLDocument.read(text, environment: [:], into: Findings(file: "")), case .map = root.content
        else { return nil }
        return root
    }

    private static func files(in node: DocumentNode, _ type: SchemaType, _ place: [[UInt8]]) -> [NamedFile] {
        switch (type.fitting(node), node.content) {
        case (.object(let object), .map(let entries)):
            return entries.flatMap { entry in
                object.key(entry.key).map { files(in: entry.value, $0.type, place + [Array(entry.key.utf8)]) } ?? []
            }
        case (.dictionary(_, let element, _), .map(let entries)):
            return entries.flatMap { files(in: $0.value, element, place + [Array($0.key.utf8)]) }
        case (.list(let element, _, _), .list(let items)):
            return items.flatMap { files(in: $0, element, place + [[]]) }
        case (.path, .scalar(let scalar)):
            let message =
                "only a token that may do all may name files of the gateway, and a file that is here already stays at its "
                + "key: ask for it, or write the content"
            return [
                NamedFile(
                    path: scalar.text,
                    use: NamedFile.Use(place: place, path: Array(scalar.text.utf8)),
                    mistake: Mistake(line: node.position.line, column: node.position.column, message: message)
                )
            ]
        default: return []
        }
    }

    private static func json(_ node: DocumentNode, _ type: SchemaType) -> JSONValue {
        switch (type.fitting(node), node.content) {
        case (_, .null), (_, .unresolved): return .null
        case (.object(let object), .map(let entries)):
            return members(of: entries) { object.key($0)?.type ?? .anything }
        case (.dictionary(_, let element, _), .map(let entries)):
            return members(of: entries) { _ in element }
        case (_, .map(let entries)): return members(of: entries) { _ in .anything }
        case (.list(let element, _, _), .list(let items)): return .array(items.map { json($0, element) })
        case (_, .list(let items)): return .array(items.map { json($0, .anything) })
        case (let type, .scalar(let scalar)): return type.json(scalar)
        }
    }

    private static func members(of entries: [DocumentNode.Entry], _ type: (String) -> SchemaType) -> JSONValue {
        var object = JSONObject()
        for entry in entries { object[entry.key] = json(entry.value, type(entry.key)) }
        return .object(object)
    }
}

extension SchemaType {
    /// A scalar as JSON: a number or a boolean where the schema has one, or where YAML writes one.
    fileprivate func json(_ scalar: DocumentNode.Scalar) -> JSONValue {
        switch self {
        case .boolean: return (try? ScalarText.boolean(scalar)).map(JSONValue.bool) ?? .string(scalar.text)
        case .integer: return (try? ScalarText.integer(scalar)).map { .number(JSONNumber($0)) } ?? .string(scalar.text)
        case .decimal:
            return (try? ScalarText.decimal(scalar)).flatMap { JSONNumber($0) }.map(JSONValue.number)
                ?? .string(scalar.text)
        case .anything:
            guard scalar.isPlain, let value = try? JSONParser.parse(Array(scalar.text.utf8)) else {
                return .string(scalar.text)
            }
            switch value {
            case .bool, .number: return value
            case .null, .string, .array, .object: return .string(scalar.text)
            }
        case .text, .secret, .url, .path, .duration, .size, .rate, .choice, .list, .object, .dictionary, .either,
            .partial:
            return .string(scalar.text)
        }
    }
}
