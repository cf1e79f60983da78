package import NIOSSL
import SwiftASN1
package import X509

/// The subject of a client's certificate as text for a header field (RFC 4514).
///
/// Every byte of it is visible ASCII or a space: any other is written as `\XX`, which RFC 4514 section 2.4 allows for
/// any byte. So nothing in a certificate can end the field or begin another.
package enum ClientCertificateSubject {
    /// Bytes.
    package static let longest = 1024

    /// - Returns: Nil if the subject cannot be read or its text is longer than 1 KiB. Empty if it is empty.
    package static func text(of certificate: NIOSSLCertificate) -> [UInt8]? {
        guard let bytes = try? certificate.toDERBytes(), let subject = try? subject(ofDER: bytes) else { return nil }
        return text(of: subject)
    }

    package static func text(of subject: DistinguishedName) -> [UInt8]? {
        var text: [UInt8] = []
        // The last comes first (RFC 4514 section 2.1). Within a name the order is free; this is OpenSSL's.
        for (index, name) in subject.reversed().enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            for (index, attribute) in name.reversed().enumerated() {
                if index > 0 { text.append(UInt8(ascii: "+")) }
                guard append(attribute, to: &text), text.count <= longest else { return nil }
            }
        }
        return text
    }

    /// Parses only the subject of a Certificate (RFC 5280 section 4.1): an unknown key or extension type is no reason
    /// to refuse a certificate that the TLS library has verified.
    private static func subject(ofDER bytes: [UInt8]) throws -> DistinguishedName? {
        guard case .constructed(let parts) = try DER.parse(bytes).content,
            let toBeSigned = parts.first(where: { _ in true }),
            case .constructed(let fields) = toBeSigned.content
        else { return nil }
        // serialNumber, signature, issuer, validity, subject; before them [0] version, which old certificates lack.
        let subject = fields.filter { $0.identifier.tagClass == .universal }.dropFirst(4).first
        return try subject.map { try DistinguishedName(derEncoded: $0) }
    }

    /// The attribute types of RFC 4514 section 3; others are written as OIDs.
    private static let names: [ASN1ObjectIdentifier: String] = [
        .RDNAttributeType.commonName: "CN",
        .RDNAttributeType.localityName: "L",
        .RDNAttributeType.stateOrProvinceName: "ST",
        .RDNAttributeType.organizationName: "O",
        .RDNAttributeType.organizationalUnitName: "OU",
        .RDNAttributeType.countryName: "C",
        .RDNAttributeType.streetAddress: "STREET",
        .RDNAttributeType.domainComponent: "DC",
        [0, 9, 2342, 19_200_300, 100, 1, 1]: "UID",
    ]

    /// - Returns: False if the value cannot be written.
    private static func append(_ attribute: RelativeDistinguishedName.Attribute, to text: inout [UInt8]) -> Bool {
        if let name = names[attribute.type], let value = String(attribute.value) {
            text.append(contentsOf: name.utf8)
            text.append(UInt8(ascii: "="))
            appendEscaped(Array(value.utf8), to: &text)
            return true
        }
        // With an OID as its type, or a value in another character set, it is given as its DER (section 2.4).
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(ASN1Any(attribute.value))) != nil else { return false }
        text.append(contentsOf: (names[attribute.type] ?? "\(attribute.type)").utf8)
        text.append(contentsOf: "=#".utf8)
        for byte in serializer.serializedBytes { appendHex(byte, to: &text) }
        return true
    }

    private static func appendEscaped(_ value: [UInt8], to text: inout [UInt8]) {
        for (index, byte) in value.enumerated() {
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: "+"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "<"),
                UInt8(ascii: ">"), UInt8(ascii: ";"), UInt8(ascii: "="):
                text.append(UInt8(ascii: "\\"))
                text.append(byte)
            case UInt8(ascii: "#") where index == 0, UInt8(ascii: " ") where index == 0 || index == value.count - 1:
                text.append(UInt8(ascii: "\\"))
                text.append(byte)
            case 0x20...0x7e:
                text.append(byte)
            default:
                text.append(UInt8(ascii: "\\"))
                appendHex(byte, to: &text)
            }
        }
    }

    private static func appendHex(_ byte: UInt8, to text: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
}
