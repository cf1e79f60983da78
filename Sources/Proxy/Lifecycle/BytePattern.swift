/// Searches bytes for a text in time linear in both lengths (Knuth, Morris and Pratt, 1977). A client chooses both and
/// could otherwise force quadratic work by repetition.
struct BytePattern {
    let text: [UInt8]
    /// For each number of matching bytes: how many still match when the next byte does not.
    private let fallback: [Int]
    /// A measure of the work; never more than twice the bytes searched.
    private(set) var comparisons = 0

    init(_ text: [UInt8]) {
        self.text = text
        var fallback = [0, 0]
        var matched = 0
        for byte in text.dropFirst() {
            while matched > 0, text[matched] != byte { matched = fallback[matched] }
            if text[matched] == byte { matched += 1 }
            fallback.append(matched)
        }
        self.fallback = fallback
    }

    /// - Returns: Where the text first occurs in the range; nil if it does not, or is empty.
    mutating func firstIndex(in bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard !text.isEmpty else { return nil }
        var matched = 0
        for position in range {
            let byte = bytes[position]
            comparisons += 1
            while matched > 0, text[matched] != byte {
                matched = fallback[matched]
                comparisons += 1
            }
            if text[matched] == byte { matched += 1 }
            if matched == text.count { return position + 1 - matched }
        }
        return nil
    }
}
