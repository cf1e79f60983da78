package import NIOCore
package import Tenants

/// Who is at the other end of a client connection, in the forms that heads and log lines need. Made once a connection.
package final class Peer {
    /// The address without its port.
    package let text: [UInt8]
    /// Whether its `Forwarded`, `X-Forwarded-*` and `X-Request-Id` are believed.
    package let isTrustedProxy: Bool
    /// What the TLS handshake told; nil on a connection in plain text.
    package let tls: PeerTLS?
    /// Whom rate limits by address count its requests for; nil where it has none.
    package let limitSubject: LimitSubject?

    /// - Parameter address: An IP address as text.
    package init(_ address: [UInt8], trustedProxies: [AddressRange], tls: PeerTLS?) {
        text = address
        let ip = IPAddress(String(decoding: address, as: UTF8.self))
        isTrustedProxy = ip.map { ip in trustedProxies.contains { $0.contains(ip) } } ?? false
        limitSubject = ip.map { LimitSubject($0) }
        self.tls = tls
    }

    package convenience init(_ address: SocketAddress?, trustedProxies: [AddressRange], tls: PeerTLS? = nil) {
        self.init(Array((address?.ipAddress ?? "unknown").utf8), trustedProxies: trustedProxies, tls: tls)
    }

    /// The same connection where these proxies are believed.
    package func trusting(_ proxies: [AddressRange]) -> Peer { Peer(text, trustedProxies: proxies, tls: tls) }

    private init(plain peer: Peer) {
        text = peer.text
        isTrustedProxy = peer.isTrustedProxy
        limitSubject = peer.limitSubject
        tls = nil
    }

    /// The same for requests that did not come on its connection, but that it asks about.
    package var withoutTLS: Peer { Peer(plain: self) }

    /// The SHA-256 of the certificate that the caller's connection has shown (RFC 8705 section 3.1). What a trusted proxy
    /// shows for itself is none of its callers'.
    package var clientCertificateThumbprint: [UInt8]? { isTrustedProxy ? nil : tls?.clientCertificateThumbprint }

    package var scheme: StaticString { tls == nil ? "http" : "https" }

    package var isIPv6: Bool { text.contains(UInt8(ascii: ":")) }
}

/// What is known of a client from its TLS handshake. It bears on every request of the connection.
package final class PeerTLS {
    /// The subject of the client's certificate (RFC 4514), where one was asked for.
    package let clientSubject: [UInt8]?
    /// The SHA-256 of the client's certificate in DER, where one was asked for: what a token may be bound to (RFC 8705
    /// section 3.1).
    package let clientCertificateThumbprint: [UInt8]?
    package let serverName: String?
    let serverNameBytes: [UInt8]
    /// What the connection's certificate was read from: that it was renewed since makes no difference.
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
