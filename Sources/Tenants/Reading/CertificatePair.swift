import ConfigurationText
import FoundationEssentials
import Verification

/// Reads a `certificate_file` and its `key_file`, and checks each and whether they belong together.
enum CertificatePair {
    struct Nodes {
        var certificate: DocumentNode
        var key: DocumentNode
    }

    /// For two keys that must be given together or not at all.
    static func check(
        _ certificate: DocumentNode.Entry?,
        _ key: DocumentNode.Entry?,
        refused: String,
        _ session: ReadingSession
    ) {
        if let certificate, let key {
            let nodes = Nodes(certificate: certificate.value, key: key.value)
            _ = check(nodes, refused: refused, session)
        } else if let alone = certificate ?? key {
            let (kind, other) = certificate != nil ? ("key", "key_file") : ("certificate", "certificate_file")
            session.at(alone).error("\"\(alone.key)\" without its \(kind): add \"\(other)\", or leave it out")
        }
    }

    /// - Parameter refused: Who refuses a certificate that is not valid now, for the warning.
    /// - Returns: The certificate; nil if it cannot be read, which was reported.
    static func check(_ nodes: Nodes, refused: String, _ session: ReadingSession) -> CertificateFile? {
        let certificate = certificates(nodes.certificate, name: "certificate_file", session)
        let key = privateKey(nodes.key, session)
        guard let certificate else { return nil }
        warnOfValidity(certificate, nodes.certificate, refused, session)
        guard let key else { return certificate }
        switch certificate.index(of: key) {
        case 0?: break
        case let index?:
            session.at(nodes.certificate).error(
                "\"certificate_file\" begins with another certificate, the key belongs to its certificate "
                    + "\(index + 1): put that one first"
            )
        case nil:
            session.at(nodes.key).error(
                "\"key_file\" is not the key of the certificate in \"certificate_file\": give the two that belong "
                    + "together"
            )
        }
        return certificate
    }

    /// Reads a file that must hold certificates.
    static func certificates(_ node: DocumentNode, name: String, _ session: ReadingSession) -> CertificateFile? {
        guard let bytes = session.content(of: node, name: "\"\(name)\"") else { return nil }
        do throws(CertificateFileError) {
            return try CertificateFile(pem: bytes)
        } catch {
            return session.at(node).refuse("\"\(name)\" cannot be used, \(node.shown): \(error)")
        }
    }

    private static func privateKey(_ node: DocumentNode, _ session: ReadingSession) -> PrivateKeyFile? {
        guard let bytes = session.content(of: node, name: "\"key_file\"") else { return nil }
        do throws(CertificateFileError) {
            return try PrivateKeyFile(pem: bytes)
        } catch {
            return session.at(node).refuse("\"key_file\" cannot be used, \(node.shown): \(error)")
        }
    }

    /// Only a warning: the certificate may be replaced while the gateway runs.
    private static func warnOfValidity(
        _ certificate: CertificateFile,
        _ node: DocumentNode,
        _ refused: String,
        _ session: ReadingSession
    ) {
        guard let now = session.now, !certificate.validity.contains(now) else { return }
        let isOver = now > certificate.validity.upperBound
        let time = isOver ? certificate.validity.upperBound : certificate.validity.lowerBound
        let day = Date(timeIntervalSince1970: time.seconds).formatted(.iso8601.year().month().day())
        session.at(node).warning(
            isOver
                ? "the certificate expired on \(day), \(refused): renew it"
                : "the certificate is not valid before \(day), \(refused) until then: check the clock, or wait"
        )
    }
}
