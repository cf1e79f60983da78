import NIOCore
public import NIOSSL

/// The name that a server's certificate must be for (RFC 9525 section 6, before it RFC 6125 section 6).
///
/// The TLS library also accepts a certificate for the IP address of the connection. An attacker who can forge DNS
/// answers has such a certificate for an address of their own, so if a server is known by its name, the name must be in
/// the certificate. This is that check, made after the handshake in addition to the library's own; it accepts nothing
/// that the library has refused.
public struct PeerName: Sendable, Equatable {
    /// As sent in the handshake: without a trailing dot (RFC 6066 section 3).
    public let text: String
    /// In lower case. Nil if no certificate can be for it.
    private let comparable: [UInt8]?

    /// - Parameter host: The host of a URL or an address; an IPv6 address with or without brackets.
    /// - Returns: Nil for an IP address, which the library compares with the connection's address (RFC 9525 section
    ///   6.5).
    public init?(ofHost host: String) {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let host = isBracketed ? String(host.dropFirst().dropLast()) : host
        guard !Self.isIPAddress(host) else { return nil }
        text = host.hasSuffix(".") ? String(host.dropLast()) : host
        comparable = Self.comparable(Array(host.utf8))
    }

    /// - Parameter certificate: The server's; its chain was verified before.
    public func isIn(_ certificate: NIOSSLCertificate) -> Bool {
        let alternatives = certificate._subjectAlternativeNames()
        // Without any, the library compared only the common name.
        guard !alternatives.isEmpty else { return true }
        return alternatives.contains { $0.nameType == .dnsName && matches(Array($0.contents)) }
    }

    /// Whether a certificate's dNSName covers the name: by equality, or with `*.` and at least two labels for any
    /// single label before them (RFC 9525 section 6.3). No other wildcards count. Case is ignored, for ASCII only:
    /// other characters do not occur in certificates (section 6.2).
    func matches(_ pattern: [UInt8]) -> Bool {
        guard let name = comparable, let pattern = Self.comparable(pattern) else { return false }
        let dot = UInt8(ascii: ".")
        guard pattern.starts(with: "*.".utf8) else { return pattern == name }
        let parent = pattern.dropFirst(2)
        guard parent.contains(dot), let labelEnd = name.firstIndex(of: dot), labelEnd > 0 else { return false }
        return name[(labelEnd + 1)...] == parent
    }

    /// - Returns: Nil if it is not a name in ASCII.
    private static func comparable(_ name: [UInt8]) -> [UInt8]? {
        let name = name.last == UInt8(ascii: ".") ? name.dropLast() : name[...]
        guard !name.isEmpty, name.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return name.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    private static func isIPAddress(_ host: String) -> Bool {
        // C would stop reading at a NUL.
        guard !host.utf8.contains(0) else { return false }
        return (try? SocketAddress(ipAddress: host, port: 0)) != nil
    }
}
