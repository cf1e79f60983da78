/// Lines in the configuration by the key's path below its tenant, like `authenticate.issuers[0]`; the tenant's own line by
/// the empty path.
///
/// Thousands of tenants have the same keys: they share the paths, and each has the lines alone.
public struct KeyLines: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// Sorted, each once.
    let paths: [String]
    private let lines: [SourceLine]

    public init(dictionaryLiteral elements: (String, SourceLine)...) {
        self.init(Dictionary(elements) { first, _ in first })
    }

    init(_ lines: [String: SourceLine], sharing: ([String]) -> [String] = { $0 }) {
        let sorted = lines.sorted { $0.key < $1.key }
        paths = sharing(sorted.map(\.key))
        self.lines = sorted.map(\.value)
    }

    public subscript(path: String) -> SourceLine? {
        var (low, high) = (0, paths.count)
        while low < high {
            let middle = (low + high) / 2
            if paths[middle] < path { low = middle + 1 } else { high = middle }
        }
        return low < paths.count && paths[low] == path ? lines[low] : nil
    }
}
