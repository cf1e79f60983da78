import Verification

/// Bounds on text from providers and apps.
enum PlainText {
    /// Whether `text` is 1 to `longest` bytes without control characters, line separators, or white space around it.
    static func isValid(_ text: String, longest: Int) -> Bool {
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else { return false }
        return text.utf8.count <= longest && !first.properties.isWhitespace && !last.properties.isWhitespace
            && text.unicodeScalars.allSatisfy { !isControl($0) }
    }

    /// Whether `text` is 1 to `longest` bytes of visible ASCII, as every token and code is.
    static func isVisible(_ text: String, longest: Int) -> Bool {
        !text.isEmpty && text.utf8.count <= longest && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Compares bytes in constant time.
    static func areEqual(_ first: String, _ second: String) -> Bool {
        ConstantTime.areEqual(Array(first.utf8), Array(second.utf8))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
