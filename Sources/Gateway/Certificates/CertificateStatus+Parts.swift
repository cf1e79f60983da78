import AdminAPI
import Proxy
import Tenants
import Upstream

extension CertificateStatus {
    /// All certificates in use, each once.
    ///
    /// - Parameter admin: Nil without TLS on the admin listener.
    static func all(of parts: Worker.Parts, admin: AdminTLS?) -> [CertificateStatus] {
        servers(parts) + backends(parts) + (admin.flatMap(of(admin:)).map { [$0] } ?? [])
    }

    private static func servers(_ parts: Worker.Parts) -> [CertificateStatus] {
        let tenants = Dictionary(grouping: parts.snapshot.configuration.tenants, by: \.tls)
        return (parts.certificates?.identities ?? []).map { identity in
            let names = (tenants[identity.files] ?? []).map(\.name)
            return CertificateStatus(.server, identity.files.certificateFile, names, identity.validity)
        }
    }

    private static func backends(_ parts: Worker.Parts) -> [CertificateStatus] {
        var found: [CertificateStatus] = []
        for index in parts.snapshot.indices {
            let name = parts.snapshot.tenants[index].name
            for own in parts.backendTLS[index].compactMap({ $0?.ownCertificate }) {
                if let known = found.firstIndex(where: { $0.file == own.file }) {
                    if found[known].tenants.last != name { found[known].tenants.append(name) }
                } else {
                    found.append(CertificateStatus(.backend, own.file, [name], own.validity))
                }
            }
        }
        return found
    }

    private static func of(admin: AdminTLS) -> CertificateStatus? {
        admin.validity.map { CertificateStatus(.admin, admin.file, [], $0) }
    }

    private init(_ use: Use, _ file: String, _ tenants: [String], _ validity: CertificateValidity) {
        self.init(use: use, file: file, tenants: tenants, notBefore: validity.notBefore, notAfter: validity.notAfter)
    }
}
