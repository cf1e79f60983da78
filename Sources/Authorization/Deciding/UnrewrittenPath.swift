/// Paths that the gateway would rewrite before forwarding. If another proxy forwards the request, the backend sees the
/// client's spelling: it may route by the part before a `..`, which no rule was applied to.
enum UnrewrittenPath {
    /// Whether the path has dot segments, in any encoding, or begins with several slashes, after which some servers
    /// read a host.
    static func isUnsafe(_ path: Span<UInt8>) -> Bool {
        if path.count > 1, path[1] == UInt8(ascii: "/") { return true }
        var start = 1
        while start < path.count {
            var end = start
            while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
            if isDotSegment(path, start..<end) { return true }
            start = end + 1
        }
        return false
    }

    private static func isDotSegment(_ path: Span<UInt8>, _ segment: Range<Int>) -> Bool {
        var dots = 0
        var position = segment.lowerBound
        while position < segment.upperBound {
            if path[position] == UInt8(ascii: ".") {
                position += 1
            } else if position + 2 < segment.upperBound, path[position] == UInt8(ascii: "%"),
                path[position + 1] == UInt8(ascii: "2"), path[position + 2] | 0x20 == UInt8(ascii: "e")
            {
                position += 3
            } else {
                return false
            }
            dots += 1
        }
        return dots == 1 || dots == 2
    }
}
