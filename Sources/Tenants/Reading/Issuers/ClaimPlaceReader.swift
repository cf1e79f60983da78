import ConfigurationText
import Verification

/// Reads where in a token something is: the name of a claim, or a JSON pointer.
enum ClaimPlaceReader {
    /// - Parameter name: The key's name in messages.
    /// - Returns: nil if it is neither, which was reported.
    static func read(_ node: DocumentNode, name: String, _ session: ReadingSession) -> ClaimPlace? {
        guard let scalar = node.filled else { return nil }
        return read(scalar.text, shown: scalar.shown, name: name, session.at(node))
    }

    /// A place that is a key of tenants.yaml.
    static func read(_ entry: DocumentNode.Entry, name: String, _ session: ReadingSession) -> ClaimPlace? {
        read(entry.key, shown: "\"\(entry.key)\"", name: name, session.at(entry))
    }

    private static func read(
        _ text: String,
        shown: String,
        name: String,
        _ position: ReportingPosition
    ) -> ClaimPlace? {
        guard let place = ClaimPlace(text) else {
            return position.refuse(
                "\"\(name)\" must be the name of a claim or a JSON pointer, but is \(shown): \(remedy(text))"
            )
        }
        if isPath(text) {
            // A value of the environment is not shown.
            let isShown = shown == "\"\(text)\""
            let pointer = isShown ? text.split(separator: ".").map { "/\($0)" }.joined() : "/a/b"
            position.warning("\(shown) is the name of one claim: write \(pointer) for a claim within another")
        }
        return place
    }

    private static func remedy(_ text: String) -> String {
        if text.isEmpty { return "give it a name" }
        if text.utf8.count > ClaimPlace.maximumLength { return "give at most \(ClaimPlace.maximumLength) bytes" }
        let names = text.utf8.lazy.filter { $0 == UInt8(ascii: "/") }.count
        if names > ClaimPlace.maximumDepth { return "go at most \(ClaimPlace.maximumDepth) names deep" }
        return "write \"~0\" for \"~\" and \"~1\" for \"/\" in a name (RFC 6901)"
    }

    /// Whether it looks like names joined by dots, and not like a name that is a URL or URN.
    private static func isPath(_ text: String) -> Bool {
        let names = text.split(separator: ".", omittingEmptySubsequences: false)
        return names.count > 1 && names.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { $0.isLetterDigit(or: "_-") } }
    }
}
