import ConfigurationText

/// Reads prefixes of paths.
enum PathPrefixReader {
    /// - Returns: nil for `/`, which is every path, and for a malformed prefix, which is reported.
    static func read(_ key: Key<some Sendable>, in section: DocumentNode, _ session: ReadingSession) -> String? {
        guard let node = section[key], let scalar = node.filled, scalar.text != "/" else { return nil }
        if let remedy = mistake(in: scalar.text) {
            return session.at(node).refuse("\"\(key.name)\" must be like /shop, but is \(scalar.shown): \(remedy)")
        }
        return scalar.text
    }

    private static func mistake(in text: String) -> String? {
        guard text.hasPrefix("/") else { return "begin it with \"/\"" }
        guard !text.hasSuffix("/") else { return "leave the \"/\" at the end out" }
        guard !text.contains(where: { "%?#\\*;".contains($0) }),
            !text.unicodeScalars.contains(where: { $0.value <= 0x20 })
        else {
            return "write it decoded, without wildcards, query or spaces"
        }
        let segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard !segments.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            return "leave empty and dot segments out; no request's path keeps them"
        }
        return nil
    }
}
