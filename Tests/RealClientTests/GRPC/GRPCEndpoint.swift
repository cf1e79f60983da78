import GRPCCore
import GRPCNIOTransportHTTP2Posix

/// Where a gRPC client calls, and with which token.
struct GRPCEndpoint: Sendable {
    /// An IPv4 address.
    var host = "127.0.0.1"
    var port: Int
    /// The `:authority` of every request, and the name that TLS asks for (SNI) and checks.
    var authority: String
    /// Sent as `authorization: Bearer …`; nil: no such field.
    var token: String?
    /// Nil: HTTP/2 with prior knowledge in plain text; else TLS that trusts this certificate and nothing else.
    var certificate: GRPCCertificate?
    /// Further fields of every request.
    var fields: Metadata = [:]

    /// All fields that every request to this endpoint has.
    var metadata: Metadata {
        var metadata = fields
        if let token { metadata.addString("Bearer \(token)", forKey: "authorization") }
        return metadata
    }

    func transport() throws -> HTTP2ClientTransport.Posix {
        try HTTP2ClientTransport.Posix(
            target: .ipv4(address: host, port: port),
            transportSecurity: certificate.map(GRPCCertificate.clientSecurity) ?? .plaintext,
            config: .defaults {
                $0.http2.authority = authority
                $0.channelDebuggingCallbacks.onCreateTCPConnection = keepWritable
            }
        )
    }
}
