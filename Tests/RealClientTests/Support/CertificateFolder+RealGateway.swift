import Foundation
import TestSupport

extension CertificateFolder {
    /// For the hosts of a ``RealGateway`` by `authority`, and for clients: `alice` by `members`, `mallory` by
    /// `strangers`.
    static func forRealGateway() throws -> CertificateFolder {
        let folder = try CertificateFolder()
        for authority in ["authority", "members", "strangers"] { try folder.makeAuthority(authority) }
        for (name, host) in [("app", "app.test"), ("wild", "*.wild.test"), ("vault", "vault.test")] {
            try folder.makeServer(name, for: host)
        }
        for (member, authority) in [("alice", "members"), ("mallory", "strangers")] {
            try folder.makeClient(member, by: authority, subject: "/O=Gatehouse tests/CN=\(member)")
        }
        return folder
    }

    /// Makes `NAME.pem` and `NAME.key` for a host or an address, replacing earlier ones.
    func makeServer(_ name: String, for host: String) throws {
        try makeServer(name, by: "authority", for: [host])
    }

    /// In lower-case hex.
    func serialNumber(_ name: String) async throws -> String {
        let text = try await Program.openssl.succeed(["x509", "-in", file("\(name).pem"), "-noout", "-serial"])
        return text.trimmingCharacters(in: .whitespacesAndNewlines).replacingOccurrences(of: "serial=", with: "")
    }
}
