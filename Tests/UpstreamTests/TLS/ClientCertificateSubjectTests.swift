import NIOSSL
import SwiftASN1
import TestSupport
import Testing
import Upstream
import X509

@Suite struct ClientCertificateSubjectTests {
    private func text(_ names: [[(ASN1ObjectIdentifier, String)]]) throws -> String? {
        try text(
            DistinguishedName(
                names.map { attributes in
                    RelativeDistinguishedName(attributes.map { .init(type: $0, utf8String: $1) })
                }
            )
        )
    }

    private func text(_ name: DistinguishedName) throws -> String? {
        var serializer = DER.Serializer()
        try serializer.serialize(name)
        return ClientCertificateSubject.text(ofName: serializer.serializedBytes)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private let commonName = ASN1ObjectIdentifier.RDNAttributeType.commonName

    @Test func lastNameComesFirst() throws {
        let text = try text([
            [(.RDNAttributeType.countryName, "ZW")], [(.RDNAttributeType.organizationName, "Umuve")],
            [(commonName, "till-7")],
        ])
        #expect(text == "CN=till-7,O=Umuve,C=ZW")
    }

    @Test func multivaluedNamesAreJoinedByPlus() throws {
        let text = try text([[(commonName, "J. Smith"), (.RDNAttributeType.organizationalUnitName, "Sales")]])
        #expect(text == "CN=J. Smith+OU=Sales")
    }

    @Test(arguments: [
        ("James \"Jim\" Smith, III", "James \\\"Jim\\\" Smith\\, III"), ("Before\rAfter", "Before\\0DAfter"),
        ("x\r\nX-Role: admin", "x\\0D\\0AX-Role: admin"), ("Lučić", "Lu\\C4\\8Di\\C4\\87"),
        ("a\u{0}b\u{7f}", "a\\00b\\7F"), (" a ", "\\ a\\ "), (" ", "\\ "), ("#a#", "\\#a#"),
        ("a+b=c;d<e>\\", "a\\+b\\=c\\;d\\<e\\>\\\\"), ("", ""),
    ])
    func valuesAreEscaped(value: String, expected: String) throws {
        #expect(try text([[(commonName, value)]]) == "CN=\(expected)")
    }

    @Test func unnamedTypeIsNumberWithEncoding() throws {
        #expect(try text([[([1, 3, 6, 1, 4, 1, 1466, 0], "Hi")]]) == "1.3.6.1.4.1.1466.0=#0C024869")
    }

    @Test func nonTextValueIsEncoded() throws {
        let value = RelativeDistinguishedName.Attribute.Value(
            asn1Any: try ASN1Any(erasing: ASN1BMPString(contentBytes: [0, 65]))
        )
        let name = DistinguishedName([RelativeDistinguishedName(.init(type: commonName, value: value))])
        #expect(try text(name) == "CN=#1E020041")
    }

    @Test(arguments: [
        ([0x30, 12, 0x31, 10, 0x30, 8, 6, 3, 0x55, 4, 3, 0x0c, 1, 0xff], "CN=#0C01FF"),
        ([0x30, 12, 0x31, 10, 0x30, 8, 6, 3, 0x55, 4, 3, 0x13, 1, 0x40], "CN=#130140"),
        ([0x30, 12, 0x31, 10, 0x30, 8, 6, 3, 0x55, 4, 3, 0x16, 1, 0x40], "CN=@"),
        ([0x30, 12, 0x31, 10, 0x30, 8, 6, 3, 0x55, 4, 3, 0x16, 1, 0x80], "CN=#160180"),
    ])
    func textOutsideItsCharacterSetIsEncoded(name: [UInt8], expected: String) {
        #expect(ClientCertificateSubject.text(ofName: name) == Array(expected.utf8))
    }

    @Test(arguments: [
        [], [0x30], [0x31, 0], [0x30, 2, 0x30, 0], [0x30, 4, 0x31, 2, 0x30, 0],
        [0x30, 9, 0x31, 7, 0x30, 5, 6, 3, 0x55, 4, 3],
        [0x30, 15, 0x31, 13, 0x30, 11, 6, 3, 0x55, 4, 3, 0x0c, 1, 0x41, 0x0c, 1, 0x41],
        [0x30, 12, 0x31, 10, 0x30, 8, 6, 3, 0x55, 4, 3, 0x0c, 2, 0x41],
    ])
    func malformedNameHasNoText(name: [UInt8]) {
        #expect(ClientCertificateSubject.text(ofName: name) == nil)
    }

    @Test func subjectLengthIsBounded() throws {
        #expect(try text([[(commonName, String(repeating: "a", count: 1021))]])?.utf8.count == 1024)
        #expect(try text([[(commonName, String(repeating: "a", count: 1022))]]) == nil)
        #expect(try text([[(commonName, String(repeating: "é", count: 171))]]) == nil)
    }

    @Test func everyByteIsVisibleASCIIOrSpace() throws {
        var generator = SplitMix64(seed: 4514)
        for _ in 0..<2000 {
            let scalars = (0..<generator.below(40)).compactMap { _ in
                Unicode.Scalar(UInt32(generator.below(generator.oneIn(2) ? 0x80 : 0x3000)))
            }
            var value = ""
            value.unicodeScalars.append(contentsOf: scalars)
            let text = try text([[(commonName, value)]])
            #expect(text?.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f } == true, "\(value.debugDescription)")
        }
    }

    @Test func subjectMatchesOpenSSL() throws {
        let folder = try CertificateFolder()
        try folder.makeAuthority("ca")
        try folder.makeClient("client", by: "ca", subject: "/C=DE/O=Größe, \"AG\"/OU=a+UID=u7/DC=test/CN=till 7")
        let certificate = try #require(try NIOSSLCertificate.fromPEMFile(folder.file("client.pem")).first)
        let subject = try #require(ClientCertificateSubject.text(of: certificate))
        let theirs = try TimedOpenSSL.output([
            "x509", "-in", folder.file("client.pem"), "-noout", "-subject", "-nameopt", "RFC2253",
        ])
        #expect("subject=\(String(decoding: subject, as: UTF8.self))\n" == theirs)
    }

    @Test func emptySubjectIsEmpty() throws {
        #expect(try text([]) == "")
    }
}
