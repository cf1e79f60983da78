import Verification

/// A path made of another one that a pattern matches: a rewrite, or the target of a redirection. A `*` stands for what
/// the pattern's `*` matched, in their order, and `/**` at the end for the rest that the pattern's `/**` matched.
public struct PathTemplate: Sendable, Equatable, CustomStringConvertible {
    private enum Part: Sendable, Equatable {
        /// Begins with its slash, percent-encoded.
        case literal([UInt8])
        /// The segment with this index.
        case segment(Int)
        /// What follows after this many segments.
        case rest(after: Int)
    }

    public let description: String
    private let parts: [Part]
    /// Matches every path that the template makes.
    let pattern: PathPattern

    /// - Parameter source: The pattern of the paths that it is made of.
    /// - Throws: ``PathPattern/Malformed`` unless `text` is a pattern whose wildcards `source` has too.
    public init(_ text: String, of source: PathPattern) throws(PathPattern.Malformed) {
        let pattern = try PathPattern(text)
        var wildcards = source.wildcards[...]
        var parts: [Part] = []
        for segment in pattern.literals {
            guard let literal = segment else {
                guard let index = wildcards.popFirst() else {
                    throw PathPattern.Malformed(
                        description: "\"\(text)\" has more \"*\" than \(source): write what stands there instead"
                    )
                }
                parts.append(.segment(index))
                continue
            }
            guard !literal.contains(UInt8(ascii: ";")), !literal.contains(UInt8(ascii: "\\")) else {
                throw PathPattern.Malformed(
                    description: "\"\(text)\" can be read in several ways: leave \";\" and \"\\\" out"
                )
            }
            let encoded = PercentEncoding.encode(literal, keeping: Self.isKept)
            if case .literal(let before)? = parts.last {
                parts[parts.count - 1] = .literal(before + [UInt8(ascii: "/")] + encoded)
            } else {
                parts.append(.literal([UInt8(ascii: "/")] + encoded))
            }
        }
        if pattern.includesBelow {
            guard source.includesBelow else {
                throw PathPattern.Malformed(
                    description: "\"\(text)\" ends with \"**\", but \(source) does not: write the whole path"
                )
            }
            parts.append(.rest(after: source.literals.count))
        }
        self.parts = parts
        self.pattern = pattern
        description = text
    }

    /// Unreserved characters, and those that a segment may have besides (RFC 3986 section 3.3).
    private static func isKept(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || "!$&'()*+,=:@".utf8.contains(byte)
    }

    /// Whether the path that it is made of decides how it begins.
    public var mayBeginAnyhow: Bool {
        if case .literal? = parts.first { false } else { true }
    }

    /// Makes the path.
    ///
    /// - Parameters:
    ///   - path: One that the source pattern matches, percent-encoded or not: segments are counted, not compared.
    ///   - write: Called with the pieces of the path in order. The first begins with one slash, however many are in
    ///     `path`: servers and browsers may read a host after two.
    public func forEachPiece(of path: Span<UInt8>, _ write: (Span<UInt8>) -> Void) {
        var isEmpty = true
        for part in parts {
            switch part {
            case .literal(let bytes):
                write(bytes.span)
                isEmpty = false
            case .segment(let index):
                let range = Self.segment(index, of: path)
                write(path.extracting(range))
                isEmpty = false
            case .rest(let count):
                var start = Self.end(ofSegments: count, in: path)
                if isEmpty {
                    while start + 1 < path.count, path[start + 1] == UInt8(ascii: "/") { start += 1 }
                }
                guard start < path.count else { continue }
                write(path.extracting(start..<path.count))
                isEmpty = false
            }
        }
        if isEmpty { write(Self.root.span) }
    }

    /// The whole path.
    public func path(of path: Span<UInt8>) -> [UInt8] {
        var made: [UInt8] = []
        forEachPiece(of: path) { $0.withUnsafeBufferPointer { made += $0 } }
        return made
    }

    private static let root: [UInt8] = [UInt8(ascii: "/")]

    /// The segment with its slash.
    private static func segment(_ index: Int, of path: Span<UInt8>) -> Range<Int> {
        end(ofSegments: index, in: path)..<end(ofSegments: index + 1, in: path)
    }

    /// The index of the slash after so many segments, or the path's end.
    private static func end(ofSegments count: Int, in path: Span<UInt8>) -> Int {
        var left = count
        var position = 0
        while position < path.count {
            if path[position] == UInt8(ascii: "/") {
                if left == 0 { return position }
                left -= 1
            }
            position += 1
        }
        return position
    }
}
