/// A text that is looked for in bytes, in time that grows with both lengths alone (Knuth, Morris and Pratt, 1977): a
/// client chooses both, and could else repeat the beginning of the one in the other.
struct BytePattern {
    let text: [UInt8]
    /// By the number of bytes that match: how many of them match still once the next one does not.
    private let fallback: [Int]
    /// What the work is measured by; never more than twice the bytes that were searched.
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

    /// - Returns: Where the text first stands within the range; nil where it does not, or is empty.
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
