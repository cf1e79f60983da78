/// Keeps a key that is given twice from hiding every other mistake.
///
/// The YAML library stops at the first duplicate and names only its first occurrence. So that occurrence is given a
/// private name of the same length in a copy of the text, and the copy is read instead; the name it had is kept by its
/// place.
struct DuplicateKeys {
    /// More than this many, and the file is given up.
    private static let limit: UInt32 = 200
    /// Bytes that are read again for all of them together: each has the whole text read once more.
    private static let mostBytesReread = 32 << 20

    private var originals: [Place: String] = [:]
    private var count: UInt32 = 0
    private(set) var bytesReread = 0

    /// The name that stood at `place` before it was renamed.
    func original(at place: Place) -> String? {
        originals[place]
    }

    /// - Returns: `text` with the key at `place` renamed, or nil where it does not stand there literally (an escape, an
    ///   alias) or where there are too many.
    mutating func rename(_ key: String, at place: Place, in text: String) -> String? {
        guard count < Self.limit, bytesReread + text.utf8.count <= Self.mostBytesReread,
            let stand = Unicode.Scalar(0xE000 + count), originals[place] == nil
        else {
            return nil
        }
        var start = TextPositions(text).index(of: place)
        if start < text.endIndex, text.unicodeScalars[start] == "\"" || text.unicodeScalars[start] == "'" {
            start = text.unicodeScalars.index(after: start)
        }
        guard let first = key.unicodeScalars.first,
            text.unicodeScalars[start...].starts(with: key.unicodeScalars)
        else { return nil }
        count += 1
        bytesReread += text.utf8.count
        originals[place] = key
        var scalars = text.unicodeScalars
        let end = scalars.index(start, offsetBy: 1)
        scalars.replaceSubrange(start..<end, with: [first == stand ? "_" : stand])
        return String(scalars)
    }
}
