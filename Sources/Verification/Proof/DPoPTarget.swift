/// An `htu`, or the URL of a request, normalised for comparison: without query and fragment, by syntax and scheme (RFC
/// 9449 section 4.3, RFC 3986 sections 6.2.2 and 6.2.3).
struct DPoPTarget: Equatable {
    /// Bytes, because Swift's `==` on strings treats canonically equivalent ones as equal.
    private let bytes: [UInt8]

    /// - Returns: Nil if it is not an `http` or `https` URL, has user information, or characters not allowed in URIs.
    init?(_ text: String) {
        let text = Array(text.utf8)
        guard text.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else { return nil }
        let end = text.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon + 2 < end,
            text[colon + 1] == UInt8(ascii: "/"), text[colon + 2] == UInt8(ascii: "/")
        else { return nil }
        let scheme = text[..<colon].map(\.lowercased)
        let defaultPort: Int
        switch String(decoding: scheme, as: UTF8.self) {
        case "https": defaultPort = 443
        case "http": defaultPort = 80
        default: return nil
        }
        let start = colon + 3
        let pathStart = text[start..<end].firstIndex(of: UInt8(ascii: "/")) ?? end
        guard let authority = Self.authority(text[start..<pathStart], defaultPort: defaultPort),
            let path = Self.normalised(text[pathStart..<end])
        else { return nil }
        bytes = scheme + Array("://".utf8) + authority + Self.withoutDotSegments(path)
    }

    /// The host in lower case, and the port unless it is the scheme's own.
    private static func authority(_ text: ArraySlice<UInt8>, defaultPort: Int) -> [UInt8]? {
        guard !text.contains(UInt8(ascii: "@")) else { return nil }
        // The colons of an IPv6 address are in brackets.
        let bracket = text.lastIndex(of: UInt8(ascii: "]")) ?? text.startIndex
        let colon = text[bracket...].firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        guard colon > text.startIndex, let host = normalised(text[..<colon]) else { return nil }
        let name = host.map(\.lowercased)
        let digits = text[colon...].dropFirst()
        guard !digits.isEmpty else { return name }
        guard digits.count <= 5, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        let port = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return port == defaultPort ? name : name + Array(":\(port)".utf8)
    }

    /// Decodes unnecessary escapes, and normalises the others. Nil for a `%` without two digits after it.
    private static func normalised(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == UInt8(ascii: "%") else {
                output.append(text[index])
                index += 1
                continue
            }
            guard index + 2 < text.endIndex, let high = Hexadecimal.value(of: text[index + 1]),
                let low = Hexadecimal.value(of: text[index + 2])
            else { return nil }
            PercentEncoding.append(high << 4 | low, to: &output)
            index += 3
        }
        return output
    }

    /// RFC 3986 section 5.2.4 for a path that is empty or begins with a slash.
    private static func withoutDotSegments(_ path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var kept: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            let isParent = segment.elementsEqual("..".utf8)
            guard isParent || segment.elementsEqual(".".utf8) else {
                kept.append(segment)
                continue
            }
            if isParent { _ = kept.popLast() }
            if isLast { kept.append([]) }
        }
        return [slash] + kept.joined(separator: [slash])
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
