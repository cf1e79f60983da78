import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate and its key, in PEM.
struct TestCertificate: Sendable {
    var certificate: String
    var key: String
}

/// A test authority and the certificates it issues.
struct TestAuthority: Sendable {
    /// The authority that fixtures can trust.
    static let trusted = Result { try TestAuthority("Trusted") }
    /// An untrusted authority.
    static let stranger = Result { try TestAuthority("Stranger") }

    private let key: P256.Signing.PrivateKey
    private let authority: Certificate

    private init(_ name: String) throws {
        key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        authority = try Self.certificate(
            for: key,
            subject,
            by: (key, subject),
            try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            }
        )
    }

    /// PEM.
    func pem() throws -> String { try authority.serializeAsPEM().pemString }

    /// - Parameters:
    ///   - names: DNS names or IPv4 addresses.
    ///   - hasExpired: Whether it expired yesterday.
    func server(_ names: String..., hasExpired: Bool = false) throws -> TestCertificate {
        let alternatives = names.map { name -> GeneralName in
            let bytes = name.split(separator: ".").compactMap { UInt8($0) }
            return bytes.count == 4 ? .ipAddress(ASN1OctetString(contentBytes: bytes[...])) : .dnsName(name)
        }
        return try issued("server", hasExpired: hasExpired) {
            SubjectAlternativeNames(alternatives)
            try ExtendedKeyUsage([.serverAuth])
        }
    }

    func client(_ name: String) throws -> TestCertificate {
        try issued(name, hasExpired: false) { try ExtendedKeyUsage([.clientAuth]) }
    }

    private func issued(
        _ name: String,
        hasExpired: Bool,
        @ExtensionsBuilder _ extensions: () throws -> Result<Certificate.Extensions, any Error>
    ) throws -> TestCertificate {
        let own = P256.Signing.PrivateKey()
        let certificate = try Self.certificate(
            for: own,
            try DistinguishedName { CommonName(name) },
            by: (key, authority.subject),
            try Certificate.Extensions(builder: extensions),
            hasExpired: hasExpired
        )
        let pem = try Certificate.PrivateKey(own).serializeAsPEM().pemString
        return TestCertificate(certificate: try certificate.serializeAsPEM().pemString, key: pem)
    }

    private static func certificate(
        for key: P256.Signing.PrivateKey,
        _ subject: DistinguishedName,
        by issuer: (key: P256.Signing.PrivateKey, name: DistinguishedName),
        _ extensions: Certificate.Extensions,
        hasExpired: Bool = false
    ) throws -> Certificate {
        let day: TimeInterval = 86_400
        return try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PrivateKey(key).publicKey,
            notValidBefore: Date(timeIntervalSinceNow: -10 * day),
            notValidAfter: Date(timeIntervalSinceNow: hasExpired ? -day : day),
            issuer: issuer.name,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(issuer.key)
        )
    }
}
