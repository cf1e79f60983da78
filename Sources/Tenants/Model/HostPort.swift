/// A host (a name, an IPv4 address, or an IPv6 address without brackets) and a TCP port.
public struct HostPort: Sendable, Hashable, CustomStringConvertible {
    public var host: String
    public var port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// As it stands in a URL: an IPv6 address in brackets (RFC 3986 section 3.2.2).
    public var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Whether only this machine can reach it: `localhost`, 127.0.0.0/8 or ::1.
    public var isLoopback: Bool {
        if host == "localhost" { return true }
        return AddressRange.loopback.contains { range in
            IPAddress(host).map(range.contains) ?? false
        }
    }
}
