import Glibc
package import NIOSSL
import SwiftASN1

/// Reads PEM files of certificates and keys, with an error that names the problem and the remedy.
///
/// Blocks on the disk: never call it on an event loop.
package enum CertificateFiles {
    /// Far above any chain or CA bundle; guards against a device or log given by mistake.
    private static let sizeLimit = 4 << 20

    /// - Returns: The certificates in the file's order: for a server, its own first.
    package static func certificates(_ file: String) throws(CertificateProblem) -> [NIOSSLCertificate] {
        let bytes = try read(file)
        do {
            let certificates = try NIOSSLCertificate.fromPEMBytes(bytes)
            if !certificates.isEmpty { return certificates }
        } catch {
            // Reported below: the library's error has no details.
        }
        throw CertificateProblem(
            file: file,
            problem: "it holds no readable certificate",
            remedy: "give a PEM file with BEGIN CERTIFICATE blocks"
        )
    }

    /// Reads a private key in PKCS#8, PKCS#1 or SEC1.
    package static func privateKey(_ file: String) throws(CertificateProblem) -> NIOSSLPrivateKey {
        let bytes = try read(file)
        // Both `BEGIN ENCRYPTED PRIVATE KEY` and the older `Proc-Type: 4,ENCRYPTED` contain it.
        guard bytes.firstRange(of: Array("ENCRYPTED".utf8)) == nil else {
            throw CertificateProblem(
                file: file,
                problem: "the key is encrypted",
                remedy: "store it decrypted, readable for the gateway's user only"
            )
        }
        do {
            return try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        } catch {
            throw CertificateProblem(
                file: file,
                problem: "it holds no readable private key",
                remedy: "give a PEM file with an RSA or EC key (PKCS#8, PKCS#1 or SEC1)"
            )
        }
    }

    /// A certificate with its chain and its key, which match and are strong enough to present.
    package static func pair(
        certificateFile: String,
        keyFile: String
    ) throws(CertificateProblem) -> (chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) {
        let chain = try certificates(certificateFile)
        let key = try privateKey(keyFile)
        let problem = chain.first.flatMap(PublicKeyKind.init)?.weakness
        if let problem {
            throw CertificateProblem(
                file: certificateFile,
                problem: problem,
                remedy: "have it issued for an RSA key of 2048 bits or more, or an EC key on P-256 or P-384"
            )
        }
        guard fits(chain, key) else {
            throw CertificateProblem(
                file: keyFile,
                problem: "the key is not that of the first certificate in \(certificateFile)",
                remedy: "give the key that it was issued for, and put the server's own certificate first in the chain"
            )
        }
        return (chain, key)
    }

    /// The library compares the two when it makes a context; nothing else in this one can fail.
    private static func fits(_ chain: [NIOSSLCertificate], _ key: NIOSSLPrivateKey) -> Bool {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        return (try? NIOSSLContext(configuration: configuration)) != nil
    }

    private static func read(_ file: String) throws(CertificateProblem) -> [UInt8] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable(file) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while true {
            var count = 0
            bytes.append(
                contentsOf: [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, initializedCount in
                    count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                    initializedCount = max(0, count)
                }
            )
            if count < 0 { throw unreadable(file) }
            if count == 0 { return bytes }
            guard bytes.count <= sizeLimit else {
                throw CertificateProblem(
                    file: file,
                    problem: "it is larger than 4 MiB",
                    remedy: "give a PEM file of certificates or a key"
                )
            }
        }
    }

    private static func unreadable(_ file: String) -> CertificateProblem {
        CertificateProblem(
            file: file,
            problem: "it cannot be read: \(String(cString: strerror(errno)))",
            remedy: "check the path, and that the gateway's user may read it"
        )
    }
}

/// The kind of a certificate's public key, with what decides whether it is strong enough (RFC 5480, RFC 8017).
enum PublicKeyKind: Equatable {
    case rsa(bits: Int)
    case curve(ASN1ObjectIdentifier)
    case other

    private static let rsaEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 1]
    private static let ellipticCurve: ASN1ObjectIdentifier = [1, 2, 840, 10045, 2, 1]
    private static let usableCurves: [ASN1ObjectIdentifier] = [
        [1, 2, 840, 10045, 3, 1, 7], [1, 3, 132, 0, 34], [1, 3, 132, 0, 35],
    ]

    /// - Returns: Nil if the key cannot be read; making the context fails then.
    init?(_ certificate: NIOSSLCertificate) {
        guard let information = try? certificate.extractPublicKey().toSPKIBytes(),
            let kind = try? Self.read(information)
        else { return nil }
        self = kind
    }

    /// Why it is too weak, or of a kind that TLS clients do not accept; nil if it is fine.
    var weakness: String? {
        switch self {
        case .rsa(let bits): bits < 2048 ? "its RSA key has \(bits) bits" : nil
        case .curve(let curve): Self.usableCurves.contains(curve) ? nil : "its EC key is on the curve \(curve)"
        case .other: "its key is neither RSA nor EC"
        }
    }

    /// SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7).
    private static func read(_ information: [UInt8]) throws -> PublicKeyKind {
        try DER.sequence(DER.parse(information), identifier: .sequence) { nodes in
            let algorithm = nodes.next()
            let key = try ASN1BitString(derEncoded: &nodes)
            guard let algorithm, case .constructed(let parts) = algorithm.content else { return .other }
            var iterator = parts.makeIterator()
            switch try ASN1ObjectIdentifier(derEncoded: &iterator) {
            case rsaEncryption: return .rsa(bits: try modulusBits(key.bytes))
            case ellipticCurve: return .curve(try ASN1ObjectIdentifier(derEncoded: &iterator))
            default: return .other
            }
        }
    }

    private static func modulusBits(_ key: ArraySlice<UInt8>) throws -> Int {
        try DER.sequence(DER.parse(key), identifier: .sequence) { nodes in
            guard let integer = nodes.next(), nodes.next() != nil, case .primitive(let bytes) = integer.content
            else { return 0 }
            let modulus = bytes.drop { $0 == 0 }
            return modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        }
    }
}
