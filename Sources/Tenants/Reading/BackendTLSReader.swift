import ConfigurationText

/// Reads `backend.tls`.
enum BackendTLSReader {
    static func read(_ entry: DocumentNode.Entry, servers: DocumentNode?, _ session: ReadingSession) -> BackendTLS {
        let node = entry.value
        warnWithoutServers(entry, servers, session)
        if let authorities = node[Schema.backendTLS.caFile] {
            _ = CertificatePair.certificates(authorities, name: Schema.backendTLS.caFile.name, session)
        }
        CertificatePair.check(
            node.entry(Schema.backendTLS.certificateFile),
            node.entry(Schema.backendTLS.keyFile),
            refused: "servers refuse it",
            session
        )
        return BackendTLS(
            caFile: node.read(Schema.backendTLS.caFile).map(session.resolve),
            certificateFile: node.read(Schema.backendTLS.certificateFile).map(session.resolve),
            keyFile: node.read(Schema.backendTLS.keyFile).map(session.resolve),
            serverName: node[Schema.backendTLS.serverName].flatMap { readServerName($0, session) }
        )
    }

    /// A server whose URL cannot be read was reported, and may have been meant as `https`.
    private static func warnWithoutServers(
        _ entry: DocumentNode.Entry,
        _ servers: DocumentNode?,
        _ session: ReadingSession
    ) {
        let schemes = (servers?.items ?? []).map { item -> BackendServer.Scheme? in
            guard let text = (item[Schema.server.url] ?? item).scalar?.text else { return nil }
            return (try? NetworkText.server(text))?.0
        }
        guard schemes.allSatisfy({ $0 != nil && $0 != .https }) else { return }
        session.at(entry).warning(
            "no server of this backend is https, \"tls\" changes nothing: write its URL with https://, or leave this "
                + "out"
        )
    }

    static func readServerName(_ node: DocumentNode, _ session: ReadingSession) -> String? {
        guard let scalar = node.filled else { return nil }
        let name = scalar.text.lowercased()
        let fault = "\"server_name\" must be a host name, but is \(scalar.shown)"
        return session.at(node).value(of: try checked(name), or: fault)
    }

    private static func checked(_ name: String) throws(Remedy) -> String {
        try NetworkText.checkName(name)
        guard IPAddress(name) == nil else { throw Remedy("a server's address is verified without it; leave it out") }
        return name
    }
}
