import ConfigurationText
import Verification

/// Reads a tenant's `tls`.
enum ServerCertificateReader {
    /// - Parameter hosts: The tenant's `hosts`, which the certificate should be valid for.
    static func read(
        _ node: DocumentNode,
        _ keys: Schema.ServerCertificateKeys,
        hosts: DocumentNode?,
        _ session: ReadingSession
    ) -> ServerCertificate? {
        if let authorities = node[keys.clientCAFile] {
            _ = CertificatePair.certificates(authorities, name: keys.clientCAFile.name, session)
        }
        guard let certificate = node[keys.certificateFile], let key = node[keys.keyFile] else { return nil }
        let nodes = CertificatePair.Nodes(certificate: certificate, key: key)
        if let file = CertificatePair.check(nodes, refused: "clients refuse it", session) {
            warnOfHosts(hosts, file, session)
        }
        guard let certificateFile = certificate.scalar?.text, let keyFile = key.scalar?.text else { return nil }
        return ServerCertificate(
            certificateFile: session.resolve(certificateFile),
            keyFile: session.resolve(keyFile),
            clientCAFile: node.read(keys.clientCAFile).map(session.resolve)
        )
    }

    private static func warnOfHosts(_ node: DocumentNode?, _ certificate: CertificateFile, _ session: ReadingSession) {
        for item in node?.items ?? [] {
            guard let scalar = item.scalar, let host = try? NetworkText.hostPattern(scalar.text),
                !certificate.names.contains(where: host.isCovered)
            else { continue }
            session.at(item).warning(
                "the certificate of \"tls\" is not for \(scalar.shown), clients refuse it there: get one with this name"
            )
        }
    }
}

extension HostPattern {
    /// Whether a certificate with this name is valid for every host of the pattern (RFC 9525 section 6.3).
    func isCovered(by name: CertificateFile.Name) -> Bool {
        switch (self, name) {
        case (.exact(let host), .address(let bytes)):
            let literal = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
            return IPAddress(literal) == IPAddress(bytes: bytes)
        case (.exact(let host), .dns(let name)):
            guard IPAddress(host) == nil else { return false }
            let name = name.lowercased()
            guard name.hasPrefix("*.") else { return host == name }
            return host.firstIndex(of: ".").map { host[$0...] == name.dropFirst() } ?? false
        case (.oneLabelBelow(let parent), .dns(let name)):
            return name.lowercased() == "*." + parent
        case (.oneLabelBelow, .address):
            return false
        }
    }
}
