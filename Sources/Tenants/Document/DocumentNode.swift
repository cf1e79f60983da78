/// One value of the file, with its position and with the environment filled in.
struct DocumentNode: Sendable {
    enum Content: Sendable {
        case null
        case scalar(Scalar)
        case list([DocumentNode])
        case map([Entry])
        /// A reference to the environment that failed and was reported; nothing more is reported about it.
        case unresolved
    }

    struct Entry: Sendable {
        var key: String
        var keyPosition: Position
        var value: DocumentNode
    }

    struct Scalar: Sendable {
        var text: String
        /// Written without quotes.
        var isPlain: Bool
        /// Holds a `${NAME}`.
        var isInterpolated: Bool
        /// The environment variables whose values are in it; its text must not be shown then.
        var variables: [String]

        /// Whether it may be read as a number or a boolean: quotes around a `${NAME}` do not make it text.
        var isTyped: Bool { isPlain || isInterpolated }
    }

    /// A section that is left out: every key has its default.
    static let absent = DocumentNode(position: .start, content: .map([]))

    var position: Position
    var content: Content

    var entries: [Entry] {
        if case .map(let entries) = content { entries } else { [] }
    }

    var items: [DocumentNode] {
        if case .list(let items) = content { items } else { [] }
    }

    var scalar: Scalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// The scalar, unless it is empty: the schema's check reports that.
    var filled: Scalar? {
        scalar.flatMap { $0.text.isEmpty ? nil : $0 }
    }

    func entry(named key: String) -> Entry? {
        entries.first { $0.key == key }
    }

    /// For keys that the user makes up; those of the schema are read by their ``Key``.
    subscript(named key: String) -> DocumentNode? {
        entry(named: key)?.value
    }

    /// The value as messages show it: its kind, or its text if that is short and not from the environment.
    var shown: String {
        switch content {
        case .null: "nothing"
        case .list: "a list"
        case .map: "a map"
        case .unresolved: "an unknown value"
        case .scalar(let scalar): scalar.shown
        }
    }
}

extension DocumentNode.Scalar {
    var shown: String {
        if let variable = variables.first { return "the value of \(variable)" }
        if text.range(of: "://") != nil, text.contains("@") { return "a URL with a user or a password" }
        let safe = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
        return safe && text.count <= 80 ? "\"\(text)\"" : "a text of \(text.utf8.count) bytes"
    }
}
