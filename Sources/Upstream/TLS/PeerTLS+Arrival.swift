package import Authorization

extension PeerTLS {
    package convenience init(_ arrival: TLSArrival) {
        let files = arrival.identity.files
        self.init(
            serverName: arrival.serverName,
            files: files,
            clientSubject: arrival.clientSubject,
            clientCertificateThumbprint: arrival.clientCertificateThumbprint
        )
    }
}
