/// Untrusted text for display.
package enum BoundedText {
    /// - Returns: `text` without control characters and outer white space, cut to `bytes` in UTF-8; nil if nothing is
    ///   left.
    package static func kept(_ text: String, bytes: Int) -> String? {
        var kept = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars where scalar.properties.generalCategory != .control {
            if kept.isEmpty, scalar.properties.isWhitespace { continue }
            length += UTF8.width(scalar)
            guard length <= bytes else { break }
            kept.append(scalar)
        }
        while let last = kept.last, last.properties.isWhitespace { kept.removeLast() }
        return kept.isEmpty ? nil : String(kept)
    }
}
