package import NIOSSL
import SwiftASN1

/// The subject of a client's certificate as text for a header field (RFC 4514).
///
/// Every byte of it is visible ASCII or a space: any other is written as `\XX`, which RFC 4514 section 2.4 allows for
/// any byte. So nothing in a certificate can end the field or begin another.
package enum ClientCertificateSubject {
    /// Bytes.
    package static let longest = 1024

    /// - Returns: Nil if the subject cannot be read or its text is longer than 1 KiB. Empty if it is empty.
    package static func text(of certificate: NIOSSLCertificate) -> [UInt8]? {
        guard let bytes = try? certificate.toDERBytes(), let subject = try? subject(ofCertificate: bytes) else {
            return nil
        }
        return try? text(ofName: subject)
    }

    /// - Parameter der: A name alone (RFC 5280 section 4.1.2.4).
    /// - Returns: As of ``text(of:)``.
    package static func text(ofName der: [UInt8]) -> [UInt8]? {
        try? text(ofName: DER.parse(der))
    }

    private static func text(ofName name: ASN1Node) throws -> [UInt8]? {
        guard name.identifier == .sequence, case .constructed(let parts) = name.content else { return nil }
        let names = try parts.map { try DER.set(of: NameAttribute.self, identifier: .set, rootNode: $0) }
        var text: [UInt8] = []
        // The last comes first (RFC 4514 section 2.1). Within a name the order is free; this is OpenSSL's.
        for (index, attributes) in names.reversed().enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            for (index, attribute) in attributes.reversed().enumerated() {
                if index > 0 { text.append(UInt8(ascii: "+")) }
                append(attribute, to: &text)
                guard text.count <= longest else { return nil }
            }
        }
        return text
    }

    /// Parses only the subject of a Certificate (RFC 5280 section 4.1): an unknown key or extension type is no reason
    /// to refuse a certificate that the TLS library has verified.
    private static func subject(ofCertificate der: [UInt8]) throws -> ASN1Node? {
        guard case .constructed(let parts) = try DER.parse(der).content,
            let toBeSigned = parts.first(where: { _ in true }),
            case .constructed(let fields) = toBeSigned.content
        else { return nil }
        // serialNumber, signature, issuer, validity, subject; before them [0] version, which old certificates lack.
        return fields.filter { $0.identifier.tagClass == .universal }.dropFirst(4).first
    }

    /// The attribute types of RFC 4514 section 3; others are written as OIDs.
    private static let names: [ASN1ObjectIdentifier: String] = [
        [2, 5, 4, 3]: "CN",
        [2, 5, 4, 7]: "L",
        [2, 5, 4, 8]: "ST",
        [2, 5, 4, 10]: "O",
        [2, 5, 4, 11]: "OU",
        [2, 5, 4, 6]: "C",
        [2, 5, 4, 9]: "STREET",
        [0, 9, 2342, 19_200_300, 100, 1, 25]: "DC",
        [0, 9, 2342, 19_200_300, 100, 1, 1]: "UID",
    ]

    private static func append(_ attribute: NameAttribute, to text: inout [UInt8]) {
        let name = names[attribute.type]
        text.append(contentsOf: (name ?? "\(attribute.type)").utf8)
        text.append(UInt8(ascii: "="))
        if name != nil, let value = attribute.text {
            appendEscaped(value, to: &text)
        } else {
            // With an OID as its type, or a value that is no text, it is given as its DER (section 2.4).
            text.append(UInt8(ascii: "#"))
            for byte in attribute.value.encodedBytes { appendHex(byte, to: &text) }
        }
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

/// An AttributeTypeAndValue (RFC 5280 section 4.1.2.4).
private struct NameAttribute: DERParseable {
    let type: ASN1ObjectIdentifier
    let value: ASN1Node

    init(derEncoded node: ASN1Node) throws {
        (type, value) = try DER.sequence(node, identifier: .sequence) { nodes in
            let type = try ASN1ObjectIdentifier(derEncoded: &nodes)
            guard let value = nodes.next() else {
                throw ASN1Error.invalidASN1Object(reason: "an attribute has no value")
            }
            return (type, value)
        }
    }

    /// The value in UTF-8. Nil if it has another character set, or is not in the one that it says.
    var text: [UInt8]? {
        switch value.identifier {
        case .utf8String:
            guard case .primitive(let bytes) = value.content, String(validating: bytes, as: UTF8.self) != nil else {
                return nil
            }
            return Array(bytes)
        case .printableString: return (try? ASN1PrintableString(derEncoded: value)).map { Array(String($0).utf8) }
        case .ia5String: return (try? ASN1IA5String(derEncoded: value)).map { Array(String($0).utf8) }
        default: return nil
        }
    }
}
