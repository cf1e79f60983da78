package import NIOCore
package import Tenants

/// The other end of a client connection, in the forms that heads and log lines need. Made once per connection.
package final class Peer {
    /// The address without its port.
    package let text: [UInt8]
    /// Whether its `Forwarded`, `X-Forwarded-*` and `X-Request-Id` are trusted.
    package let isTrustedProxy: Bool
    /// From the TLS handshake; nil on a connection in plain text.
    package let tls: PeerTLS?
    package let isIPv6: Bool
    /// The subject for rate limits by address; nil if it has none.
    package let limitSubject: LimitSubject?

    /// - Parameter address: An IP address as text.
    package init(_ address: [UInt8], trustedProxies: [AddressRange], tls: PeerTLS?) {
        text = address
        isIPv6 = address.contains(UInt8(ascii: ":"))
        let ip = IPAddress(String(decoding: address, as: UTF8.self))
        isTrustedProxy = ip.map { ip in trustedProxies.contains { $0.contains(ip) } } ?? false
        limitSubject = ip.map { LimitSubject($0) }
        self.tls = tls
    }

    package convenience init(_ address: SocketAddress?, trustedProxies: [AddressRange], tls: PeerTLS? = nil) {
        self.init(Array((address?.ipAddress ?? "unknown").utf8), trustedProxies: trustedProxies, tls: tls)
    }

    /// The same connection with another list of trusted proxies.
    package func trusting(_ proxies: [AddressRange]) -> Peer { Peer(text, trustedProxies: proxies, tls: tls) }

    private init(plain peer: Peer) {
        text = peer.text
        isTrustedProxy = peer.isTrustedProxy
        isIPv6 = peer.isIPv6
        limitSubject = peer.limitSubject
        tls = nil
    }

    /// The same peer for decision queries, whose requests did not come on its connection.
    package var withoutTLS: Peer { Peer(plain: self) }

    /// The SHA-256 of the certificate that the caller's connection has shown (RFC 8705 section 3.1). A trusted proxy's
    /// own certificate is not its callers'.
    package var clientCertificateThumbprint: [UInt8]? { isTrustedProxy ? nil : tls?.clientCertificateThumbprint }

    package var scheme: StaticString { tls == nil ? "http" : "https" }
}

/// A client's properties from its TLS handshake. They apply to every request of the connection.
package final class PeerTLS {
    /// The subject of the client's certificate (RFC 4514), if one was requested.
    package let clientSubject: [UInt8]?
    /// The SHA-256 of the client's certificate in DER, if one was requested: a token may be bound to it (RFC 8705
    /// section 3.1).
    package let clientCertificateThumbprint: [UInt8]?
    package let serverName: String?
    let serverNameBytes: [UInt8]
    /// The files of the connection's certificate; a renewal since makes no difference.
    package let files: ServerCertificate

    package init(
        serverName: String?,
        files: ServerCertificate,
        clientSubject: [UInt8]?,
        clientCertificateThumbprint: [UInt8]? = nil
    ) {
        self.serverName = serverName
        self.files = files
        self.clientSubject = clientSubject
        self.clientCertificateThumbprint = clientCertificateThumbprint
        serverNameBytes = Array((serverName ?? "").utf8)
    }
}
