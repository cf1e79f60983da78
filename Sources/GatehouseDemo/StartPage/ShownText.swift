/// Text with tokens, to be shown to people.
enum ShownText {
    /// Longer than an identifier, and shorter than any token.
    static let longestWord = 40
    private static let start = 12
    private static let end = 6

    /// The text with the middle of each token left out.
    ///
    /// - Parameter longest: How long a word may be that is shown whole.
    static func shortened(_ text: String, longest: Int = longestWord) -> String {
        var shown = ""
        var word: [Unicode.Scalar] = []
        func finish() {
            guard word.count > longest else {
                shown.unicodeScalars.append(contentsOf: word)
                word.removeAll(keepingCapacity: true)
                return
            }
            shown.unicodeScalars.append(contentsOf: word.prefix(start))
            shown += "…"
            shown.unicodeScalars.append(contentsOf: word.suffix(end))
            word.removeAll(keepingCapacity: true)
        }
        for scalar in text.unicodeScalars {
            if isOfToken(scalar) {
                word.append(scalar)
            } else {
                finish()
                shown.unicodeScalars.append(scalar)
            }
        }
        finish()
        return shown
    }

    private static func isOfToken(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "+": true
        default: false
        }
    }
}
