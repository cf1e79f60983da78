/// Origins as browsers write them (RFC 6454 section 6.2), compared byte by byte: `https://app.example.com:8443`.
public enum WebOrigin {
    private static let schemes: [(prefix: [UInt8], port: [UInt8], isSecure: Bool)] = [
        (Array("https://".utf8), Array(":443".utf8), true), (Array("http://".utf8), Array(":80".utf8), false),
    ]

    /// The origin of an absolute URL, in lower case and without its scheme's default port. A text that is no URL stays as
    /// it is.
    public static func canonical(_ url: String) -> String {
        let bytes = url.utf8
        guard let scheme = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[scheme...].starts(with: "://".utf8) else {
            return url
        }
        let end = bytes[bytes.index(scheme, offsetBy: 3)...].firstIndex { "/?#".utf8.contains($0) }
        let origin = Array(bytes[..<(end ?? bytes.endIndex)])
        let lowered = origin.map(lowercased)
        return String(decoding: lowered.prefix(withoutDefaultPort(lowered.span)), as: UTF8.self)
    }

    /// Whether `origin`, as it came, is the one that ``canonical(_:)`` gave.
    public static func isSame(_ origin: Span<UInt8>, as canonical: [UInt8]) -> Bool {
        let count = withoutDefaultPort(origin)
        guard count == canonical.count else { return false }
        for index in 0..<count where lowercased(origin[index]) != canonical[index] { return false }
        return true
    }

    /// Whether `origin` is that of a request itself.
    ///
    /// - Parameters:
    ///   - authority: The request's host, with or without a port.
    ///   - isSecure: Whether the client speaks TLS; nil if that is unknown: either scheme is accepted then.
    public static func isOwn(_ origin: Span<UInt8>, authority: Span<UInt8>, isSecure: Bool?) -> Bool {
        guard let scheme = schemes.first(where: { hasPrefix(origin, $0.prefix) }),
            isSecure == nil || isSecure == scheme.isSecure
        else { return false }
        let start = scheme.prefix.count
        let count = withoutDefaultPort(origin) - start
        var own = hasSuffix(authority, scheme.port) ? authority.count - scheme.port.count : authority.count
        // An empty port is the scheme's (RFC 3986 section 3.2.3).
        if own > 0, authority[own - 1] == UInt8(ascii: ":") { own -= 1 }
        guard count > 0, count == own else { return false }
        for index in 0..<count where lowercased(origin[start + index]) != lowercased(authority[index]) { return false }
        return true
    }

    /// The length of an origin without its scheme's default port.
    private static func withoutDefaultPort(_ origin: Span<UInt8>) -> Int {
        for scheme in schemes where hasPrefix(origin, scheme.prefix) && hasSuffix(origin, scheme.port) {
            let count = origin.count - scheme.port.count
            // A text without a host or with two ports is no origin.
            let isOrigin = count > scheme.prefix.count && !hasSuffix(origin.extracting(0..<count), scheme.port)
            return isOrigin ? count : origin.count
        }
        return origin.count
    }

    private static func hasPrefix(_ bytes: Span<UInt8>, _ prefix: [UInt8]) -> Bool {
        guard bytes.count >= prefix.count else { return false }
        for index in prefix.indices where lowercased(bytes[index]) != prefix[index] { return false }
        return true
    }

    private static func hasSuffix(_ bytes: Span<UInt8>, _ suffix: [UInt8]) -> Bool {
        let start = bytes.count - suffix.count
        guard start >= 0 else { return false }
        for index in suffix.indices where bytes[start + index] != suffix[index] { return false }
        return true
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
