import Verification

/// Reads JSON pointers.
enum PointerReader {
    /// The pointer that a key has or defaults to.
    static func read(
        _ key: Key<String>,
        in section: DocumentNode,
        _ session: inout ReadingSession
    ) -> JSONPointer? {
        section.given(key).flatMap { read($0, name: key.name, &session) }
    }

    /// - Returns: nil where it is none, which was reported.
    static func read(_ node: DocumentNode, name: String, _ session: inout ReadingSession) -> JSONPointer? {
        guard let scalar = node.filled else { return nil }
        if let pointer = JSONPointer(scalar.text) { return pointer }
        let remedy =
            scalar.text.hasPrefix("/")
            ? "write \"~0\" for \"~\" and \"~1\" for \"/\" in a name (RFC 6901)"
            : "it begins with \"/\", like /data/token"
        return session.refuse(node.place, "\"\(name)\" must be a JSON pointer, but is \(scalar.shown): \(remedy)")
    }
}
