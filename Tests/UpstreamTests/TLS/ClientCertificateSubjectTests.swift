import NIOSSL
import SwiftASN1
import TestSupport
import Testing
import Upstream
import X509

@Suite struct ClientCertificateSubjectTests {
    private func text(_ names: [[(ASN1ObjectIdentifier, String)]]) -> String? {
        let name = DistinguishedName(
            names.map { attributes in
                RelativeDistinguishedName(attributes.map { .init(type: $0, utf8String: $1) })
            }
        )
        return ClientCertificateSubject.text(of: name).map { String(decoding: $0, as: UTF8.self) }
    }

    private let commonName = ASN1ObjectIdentifier.RDNAttributeType.commonName

    @Test func lastNameComesFirst() {
        let text = text([
            [(.RDNAttributeType.countryName, "ZW")], [(.RDNAttributeType.organizationName, "Umuve")],
            [(commonName, "till-7")],
        ])
        #expect(text == "CN=till-7,O=Umuve,C=ZW")
    }

    @Test func multivaluedNamesAreJoinedByPlus() {
        let text = text([[(commonName, "J. Smith"), (.RDNAttributeType.organizationalUnitName, "Sales")]])
        #expect(text == "CN=J. Smith+OU=Sales")
    }

    @Test(arguments: [
        ("James \"Jim\" Smith, III", "James \\\"Jim\\\" Smith\\, III"), ("Before\rAfter", "Before\\0DAfter"),
        ("x\r\nX-Role: admin", "x\\0D\\0AX-Role: admin"), ("Lučić", "Lu\\C4\\8Di\\C4\\87"),
        ("a\u{0}b\u{7f}", "a\\00b\\7F"), (" a ", "\\ a\\ "), (" ", "\\ "), ("#a#", "\\#a#"),
        ("a+b=c;d<e>\\", "a\\+b\\=c\\;d\\<e\\>\\\\"), ("", ""),
    ])
    func valuesAreEscaped(value: String, expected: String) {
        #expect(text([[(commonName, value)]]) == "CN=\(expected)")
    }

    @Test func unnamedTypeIsNumberWithEncoding() {
        #expect(text([[([1, 3, 6, 1, 4, 1, 1466, 0], "Hi")]]) == "1.3.6.1.4.1.1466.0=#0C024869")
    }

    @Test func nonTextValueIsEncoded() throws {
        let value = RelativeDistinguishedName.Attribute.Value(
            asn1Any: try ASN1Any(erasing: ASN1BMPString(contentBytes: [0, 65]))
        )
        let name = DistinguishedName([RelativeDistinguishedName(.init(type: commonName, value: value))])
        #expect(ClientCertificateSubject.text(of: name) == Array("CN=#1E020041".utf8))
    }

    @Test func subjectLengthIsBounded() {
        #expect(text([[(commonName, String(repeating: "a", count: 1021))]])?.utf8.count == 1024)
        #expect(text([[(commonName, String(repeating: "a", count: 1022))]]) == nil)
        #expect(text([[(commonName, String(repeating: "é", count: 171))]]) == nil)
    }

    @Test func everyByteIsVisibleASCIIOrSpace() {
        var generator = SplitMix64(seed: 4514)
        for _ in 0..<2000 {
            let scalars = (0..<generator.below(40)).compactMap { _ in
                Unicode.Scalar(UInt32(generator.below(generator.oneIn(2) ? 0x80 : 0x3000)))
            }
            var value = ""
            value.unicodeScalars.append(contentsOf: scalars)
            let text = text([[(commonName, value)]])
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

    @Test func emptySubjectIsEmpty() {
        #expect(text([]) == "")
    }
}
