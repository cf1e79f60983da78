import ConfigurationText
import Verification

/// Reads JSON pointers.
enum PointerReader {
    /// The pointer in a section, or its default.
    static func read(_ key: Key<String>, in section: DocumentNode, _ session: ReadingSession) -> JSONPointer? {
        section.given(key).flatMap { read($0, name: key.name, session) }
    }

    /// - Returns: nil if it is malformed, which was reported.
    static func read(_ node: DocumentNode, name: String, _ session: ReadingSession) -> JSONPointer? {
        guard let scalar = node.filled else { return nil }
        if let pointer = JSONPointer(scalar.text) { return pointer }
        let remedy =
            scalar.text.hasPrefix("/")
            ? "write \"~0\" for \"~\" and \"~1\" for \"/\" in a name (RFC 6901)"
            : "it begins with \"/\", like /data/token"
        return session.at(node).refuse("\"\(name)\" must be a JSON pointer, but is \(scalar.shown): \(remedy)")
    }
}
