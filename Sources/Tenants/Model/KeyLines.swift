public import ConfigurationText

/// Lines in the configuration by the key's path below its tenant, like `authenticate.issuers[0]`; the tenant's own line by
/// the empty path.
///
/// Thousands of tenants have the same keys: they share the paths, and each has its lines alone.
public struct KeyLines: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// The place of each path's line.
    private let places: [String: Int]
    private let lines: [SourceLine]

    public init(dictionaryLiteral elements: (String, SourceLine)...) {
        self.init(places: Self.places(of: elements.map(\.0)), lines: elements.map(\.1))
    }

    init(places: [String: Int], lines: [SourceLine]) {
        self.places = places
        self.lines = lines
    }

    /// Of paths that are there twice, the last one counts.
    static func places(of paths: [String]) -> [String: Int] {
        Dictionary(zip(paths, paths.indices)) { $1 }
    }

    public subscript(path: String) -> SourceLine? { places[path].map { lines[$0] } }
}
