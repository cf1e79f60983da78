/// One value of the file, with its position and with the environment filled in.
package struct DocumentNode: Sendable {
    package enum Content: Sendable {
        case null
        case scalar(Scalar)
        case list([DocumentNode])
        case map([Entry])
        /// A reference to the environment that failed and was reported; nothing more is reported about it.
        case unresolved
    }

    package struct Entry: Sendable {
        package var key: String
        package var keyPosition: Position
        package var value: DocumentNode

        package init(key: String, keyPosition: Position, value: DocumentNode) {
            self.key = key
            self.keyPosition = keyPosition
            self.value = value
        }
    }

    package struct Scalar: Sendable {
        package var text: String
        /// Written without quotes.
        package var isPlain: Bool
        /// Holds a `${NAME}`.
        package var isInterpolated: Bool
        /// The environment variables whose values are in it; its text must not be shown then.
        package var variables: [String]

        package init(text: String, isPlain: Bool, isInterpolated: Bool, variables: [String]) {
            self.text = text
            self.isPlain = isPlain
            self.isInterpolated = isInterpolated
            self.variables = variables
        }

        /// Whether it may be read as a number or a boolean: quotes around a `${NAME}` do not make it text.
        package var isTyped: Bool { isPlain || isInterpolated }
    }

    /// A section that is left out: every key has its default.
    package static let absent = DocumentNode(position: .start, content: .map([]))

    package var position: Position
    package var content: Content

    package init(position: Position, content: Content) {
        self.position = position
        self.content = content
    }

    package var entries: [Entry] {
        if case .map(let entries) = content { entries } else { [] }
    }

    package var items: [DocumentNode] {
        if case .list(let items) = content { items } else { [] }
    }

    package var scalar: Scalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// The scalar, unless it is empty: the schema's check reports that.
    package var filled: Scalar? {
        scalar.flatMap { $0.text.isEmpty ? nil : $0 }
    }

    package func entry(named key: String) -> Entry? {
        entries.first { $0.key == key }
    }

    /// For keys that the user makes up; those of the schema are read by their ``Key``.
    package subscript(named key: String) -> DocumentNode? {
        entry(named: key)?.value
    }

    /// The value as messages show it: its kind, or its text if that is short and not from the environment.
    package var shown: String {
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
    package var shown: String {
        if let variable = variables.first { return "the value of \(variable)" }
        if text.range(of: "://") != nil, text.contains("@") { return "a URL with a user or a password" }
        let safe = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
        return safe && text.count <= 80 ? "\"\(text)\"" : "a text of \(text.utf8.count) bytes"
    }
}
