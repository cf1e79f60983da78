/// A path of an access rule or a route: literal segments, `*` for one segment, and `/**` at the end for the path itself and all
/// below it.
public struct PathPattern: Sendable, Equatable, CustomStringConvertible {
    /// Why a text is no pattern, with a remedy.
    public struct Malformed: Error, Equatable, CustomStringConvertible {
        public var description: String
    }

    private enum Segment: Sendable, Equatable {
        case literal([UInt8])
        case any
    }

    public let description: String
    private let segments: [Segment]
    let includesBelow: Bool

    /// - Throws: ``Malformed`` unless `text` starts with `/`, uses `*` only as a whole segment and `**` only as the last,
    ///   and has neither an empty nor a dot segment (those never match a canonical path).
    public init(_ text: String) throws(Malformed) {
        guard text.utf8.first == UInt8(ascii: "/") else {
            throw Malformed(description: "a path starts with \"/\": write \"/\(text)\"")
        }
        var parts = text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let below = parts.last.map { String(Substring($0)) } == "**"
        if below { parts.removeLast() }
        var segments: [Segment] = []
        for (index, part) in parts.enumerated() {
            let isTrailingSlash = part.isEmpty && index == parts.count - 1 && !below
            switch String(Substring(part)) {
            case "*": segments.append(.any)
            case "" where !isTrailingSlash:
                throw Malformed(description: "\"\(text)\" has an empty segment: write one \"/\" between segments")
            case ".", "..":
                throw Malformed(
                    description: "\"\(text)\" has a dot segment, which no request's path keeps: leave it out"
                )
            case let literal where literal.contains("*"):
                throw Malformed(
                    description: "\"\(text)\": \"*\" stands for a whole segment and \"**\" for the end of the path"
                )
            case let literal where literal.contains("%") || literal.contains("?") || literal.contains("#"):
                throw Malformed(
                    description: "\"\(text)\" is matched on the decoded path without its query: write it decoded"
                )
            case let literal: segments.append(.literal(Array(literal.utf8)))
            }
        }
        self.description = text
        self.segments = segments
        self.includesBelow = below
    }

    /// Its segments in order; nil for `*`.
    var literals: [[UInt8]?] {
        segments.map { segment in
            if case .literal(let bytes) = segment { bytes } else { nil }
        }
    }

    /// The indices of the segments that are `*`.
    var wildcards: [Int] { segments.indices.filter { segments[$0] == .any } }

    /// Whether some path at or below a prefix matches.
    ///
    /// - Parameter prefix: Begins with `/`, has no trailing `/`, and no empty segments.
    func meets(prefix: String) -> Bool {
        let below = prefix.utf8.dropFirst().split(separator: UInt8(ascii: "/"))
        guard segments.count >= below.count || includesBelow else { return false }
        return zip(literals, below).allSatisfy { literal, segment in
            literal.map { $0.elementsEqual(segment) } ?? true
        }
    }

    /// Whether every path of `other` is one of this pattern's too, so that a later rule with `other` is never reached.
    public func covers(_ other: PathPattern) -> Bool {
        guard other.segments.count >= segments.count else { return false }
        guard includesBelow || (segments.count == other.segments.count && !other.includesBelow) else { return false }
        for (mine, theirs) in zip(segments, other.segments) {
            switch (mine, theirs) {
            // `*` stands for a segment that is not empty: `/x/*` does not match `/x/`.
            case (.any, .literal(let bytes)): if bytes.isEmpty { return false }
            case (.literal, _), (.any, .any): if mine != theirs { return false }
            }
        }
        return true
    }

    /// - Parameter path: Starts with `/`; decoded once and free of dot segments.
    public func matches(_ path: Span<UInt8>) -> Bool {
        guard path.count > 0 else { return false }
        let slash = UInt8(ascii: "/")
        var position = 1
        for (index, segment) in segments.enumerated() {
            // Past the end: every segment but the first is preceded by its own slash.
            if index > 0 {
                guard position < path.count, path[position] == slash else { return false }
                position += 1
            }
            let start = position
            while position < path.count, path[position] != slash { position += 1 }
            switch segment {
            case .any:
                if position == start { return false }
            case .literal(let bytes):
                guard path.extracting(start..<position).isEqual(to: bytes) else { return false }
            }
        }
        if includesBelow {
            return segments.isEmpty || position == path.count || path[position] == slash
        }
        return position == path.count
    }
}
