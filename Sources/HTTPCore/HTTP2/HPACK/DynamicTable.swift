/// The dynamic table of one direction (RFC 7541 section 2.3.2): entries are added at one end and evicted at the other.
///
/// The bytes of all entries follow each other, each as `name: value`. At the end of the memory they are moved to its
/// start, so that an entry is always contiguous.
public struct DynamicTable: Sendable {
    public struct Entry: Sendable {
        /// Counted from the first byte ever added.
        fileprivate var start: Int
        fileprivate(set) var nameLength: Int32
        fileprivate(set) var valueLength: Int32

        var size: Int { Int(nameLength) + Int(valueLength) + 32 }
        fileprivate var length: Int { Int(nameLength) + Int(valueLength) + 2 }
    }

    /// The current maximum of ``size``.
    private(set) var maximumSize: Int
    /// RFC 7541 section 4.1.
    private(set) var size = 0
    private(set) var count = 0
    /// How many entries were ever added.
    private(set) var added = 0

    /// A ring whose length is a power of two. An entry's slot follows from its number, counted from 0 in the order of
    /// adding.
    private var entries: [Entry] = []
    private var bytes: [UInt8] = []
    /// The number of the first byte in `bytes`, and how many bytes have been written.
    private var base = 0
    private var end = 0

    init(maximumSize: Int) {
        self.maximumSize = maximumSize
    }

    mutating func resize(_ maximumSize: Int) {
        self.maximumSize = maximumSize
        evict(until: maximumSize)
    }

    /// The entry with dynamic index `index`; the last one added has 0.
    func entry(_ index: Int) -> Entry { entries[(added - 1 - index) & (entries.count - 1)] }

    /// Calls `body` with `name: value` of an entry.
    func withBytes<Result>(_ entry: Entry, _ body: (Span<UInt8>) -> Result) -> Result {
        let start = entry.start - base
        return body(bytes.span.extracting(start..<(start + entry.length)))
    }

    /// Adds an entry after evicting others to make space; one that is larger than the table empties it and is not added
    /// (RFC 7541 section 4.4).
    ///
    /// - Returns: Whether it was added.
    @discardableResult
    mutating func add(name: Span<UInt8>, value: Span<UInt8>) -> Bool {
        let entrySize = name.count + value.count + 32
        evict(until: maximumSize - entrySize)
        guard entrySize <= maximumSize else { return false }
        let length = name.count + value.count + 2
        makeSpace(for: length)
        let start = end
        bytes.replace(at: start, with: name)
        bytes[start + name.count] = UInt8(ascii: ":")
        bytes[start + name.count + 1] = UInt8(ascii: " ")
        bytes.replace(at: start + name.count + 2, with: value)
        end += length
        entries[added & (entries.count - 1)] = Entry(
            start: base + start,
            nameLength: Int32(truncatingIfNeeded: name.count),
            valueLength: Int32(truncatingIfNeeded: value.count)
        )
        added += 1
        count += 1
        size += entrySize
        return true
    }

    private mutating func evict(until limit: Int) {
        while size > limit, count > 0 {
            size -= entry(count - 1).size
            count -= 1
        }
    }

    // MARK: Memory

    private mutating func makeSpace(for length: Int) {
        if count == entries.count { growEntries() }
        guard end + length > bytes.count else { return }
        let first = count > 0 ? entry(count - 1).start - base : end
        let used = end - first
        // With twice the used size, bytes are moved about once for each time that they are added.
        if 2 * (used + length) > bytes.count {
            let wanted = max(1024, 2 * bytes.count, 2 * (used + length))
            bytes.append(contentsOf: repeatElement(0, count: wanted - bytes.count))
        }
        bytes.moveToStart(first..<end)
        base += first
        end = used
    }

    private mutating func growEntries() {
        let old = entries
        let grown = max(16, 2 * old.count)
        entries = [Entry](repeating: Entry(start: 0, nameLength: 0, valueLength: 0), count: grown)
        for number in (added - count)..<added {
            entries[number & (grown - 1)] = old[number & (old.count - 1)]
        }
    }
}

extension [UInt8] {
    /// Writes `source` over the bytes at `start`.
    mutating func replace(at start: Int, with source: Span<UInt8>) {
        withUnsafeMutableBytes { raw in
            let target = UnsafeMutableRawBufferPointer(rebasing: raw[start..<(start + source.count)])
            source.withUnsafeBytes { target.copyMemory(from: $0) }
        }
    }

    fileprivate mutating func moveToStart(_ range: Range<Int>) {
        withUnsafeMutableBytes { raw in
            // The ranges may overlap.
            UnsafeMutableRawBufferPointer(rebasing: raw[0..<range.count])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: raw[range]))
        }
    }
}
