import Tenants

extension PeerTLS {
    /// Whether the connection may carry a request to this tenant. The server certificate, and the demand for a client
    /// certificate, depend on the name in the handshake: another tenant's requests would bypass both (RFC 9110 section
    /// 7.4; RFC 8446 section 4.6.2 leaves it to servers).
    ///
    /// - Parameter router: The one that routed the request.
    package func covers(
        _ request: RoutedRequest,
        _ bytes: Span<UInt8>,
        _ router: RequestRouter,
        _ shown: (any PresentedCertificates)?
    )
        -> Bool
    {
        if serverName != nil {
            if request.received.host == serverNameBytes { return askedFor(request.tenant) }
            guard router.tenant(ofHost: serverNameBytes, request, bytes) === request.tenant else { return false }
        }
        return shown?.certificate(forServerName: String(decoding: request.received.host, as: UTF8.self)) == files
    }

    /// Whether the handshake named a host. An IP address is none (RFC 6066 section 3).
    var namedHost: Bool {
        guard let serverName else { return false }
        return IPAddress(serverName) == nil
    }

    /// Since the handshake a reload may have begun to require client certificates, or those of other authorities.
    private func askedFor(_ tenant: TenantRuntime) -> Bool {
        !tenant.needsClientCertificate || tenant.tenant.tls?.clientCAFile == files.clientCAFile
    }
}
