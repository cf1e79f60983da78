import NIOCore
import Tenants

/// Who is at the other end of a client connection, in the forms that heads and log lines need. Made once a connection.
struct Peer {
    /// The address without its port.
    let text: [UInt8]
    /// Whether its `Forwarded`, `X-Forwarded-*` and `X-Request-Id` are believed.
    let isTrustedProxy: Bool
    let scheme: StaticString

    init(_ address: SocketAddress?, trustedProxies: [AddressRange], isTLS: Bool) {
        let host = address?.ipAddress ?? "unknown"
        text = Array(host.utf8)
        isTrustedProxy = IPAddress(host).map { ip in trustedProxies.contains { $0.contains(ip) } } ?? false
        scheme = isTLS ? "https" : "http"
    }

    var isIPv6: Bool { text.contains(UInt8(ascii: ":")) }
}
