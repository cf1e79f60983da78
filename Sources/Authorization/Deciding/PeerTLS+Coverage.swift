extension PeerTLS {
    /// Whether the connection may be used for a request to this tenant. Its certificate was shown, and the client's was
    /// asked for, for the name in the handshake: another tenant's requests would get round both (RFC 9110 section
    /// 7.4, RFC 8446 section 4.6.2 leaves it to us).
    ///
    /// - Parameter router: As it was when it routed the request.
    package func covers(
        _ request: RoutedRequest,
        _ bytes: Span<UInt8>,
        _ router: RequestRouter,
        _ shown: (any ShownCertificates)?
    )
        -> Bool
    {
        if serverName != nil {
            if request.received.host == serverNameBytes { return askedFor(request.tenant) }
            guard router.tenant(ofHost: serverNameBytes, request, bytes) === request.tenant else { return false }
        }
        return shown?.certificate(forServerName: String(decoding: request.received.host, as: UTF8.self)) == files
    }

    /// A reload may have come to ask for client certificates, or for those of other authorities, since the handshake.
    private func askedFor(_ tenant: TenantRuntime) -> Bool {
        !tenant.needsClientCertificate || tenant.tenant.tls?.clientCAFile == files.clientCAFile
    }
}
