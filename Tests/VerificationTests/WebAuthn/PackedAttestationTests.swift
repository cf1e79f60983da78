import TestSupport
import Testing

@testable import Verification

/// Passkeys whose authenticator's model vouches for them, by a certificate that OpenSSL made.
struct PackedAttestationTests {
    /// A certificate as it is to be (WebAuthn Level 2 section 8.2.1), and what is changed about one.
    struct Certificate: Sendable {
        var subject = "/C=SE/O=Keys/OU=Authenticator Attestation/CN=Key One"
        var model: String? = "DER:0410" + String(repeating: "07", count: 16)
        var constraints: String? = "critical,CA:FALSE"
    }

    private static let modelExtension = "1.3.6.1.4.1.45724.1.1.4"

    /// - Returns: The failure; nil if it is accepted.
    private func failure(_ certificate: Certificate, signsOther: Bool = false) throws -> PasskeyFailure? {
        let authenticator = try PretendAuthenticator(.edDSA)
        let clientData = authenticator.clientData("webauthn.create")
        let data = authenticator.data(withCredential: true)
        let (der, key) = try make(certificate)
        let signed = (signsOther ? authenticator.data(withCredential: false) : data) + SHA256.digest(clientData)
        let signature = try #require(key.signature(over: signed, .es256))
        let statement: [(String, CBORText)] = [
            ("alg", .int(-7)), ("sig", .bytes(signature)), ("x5c", .list([.bytes(der)])),
        ]
        let object = PretendAuthenticator.attestation("packed", statement, data)
        do throws(PasskeyFailure) {
            _ = try PasskeyRegistration(clientData: clientData, attestation: object)
                .credential(PretendAuthenticator.expectation())
            return nil
        } catch {
            return error
        }
    }

    private func make(_ certificate: Certificate) throws -> (der: [UInt8], key: OpenSSLKey) {
        try OpenSSLCommand.inDirectory { openSSL in
            try openSSL.run([
                "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-outform", "DER", "-out",
                "key.der",
            ])
            var request = ["req", "-x509", "-key", "key.der", "-keyform", "DER", "-outform", "DER", "-out", "made.der"]
            // OpenSSL's own configuration would add constraints.
            try openSSL.write("[req]\ndistinguished_name=name\n[name]\n", to: "request.cnf")
            request += ["-subj", certificate.subject, "-config", "request.cnf"]
            if let constraints = certificate.constraints { request += ["-addext", "basicConstraints=\(constraints)"] }
            if let model = certificate.model { request += ["-addext", "\(Self.modelExtension)=\(model)"] }
            try openSSL.run(request)
            return (
                try openSSL.content("made.der"),
                try #require(OpenSSLKey(privateKey: try openSSL.content("key.der")))
            )
        }
    }

    @Test func modelsCertificateIsAccepted() throws {
        #expect(try failure(Certificate()) == nil)
        #expect(try failure(Certificate(model: nil)) == nil)
    }

    @Test func signatureOverSomethingElseIsRefused() throws {
        #expect(try failure(Certificate(), signsOther: true) == .badAttestation)
    }

    @Test(arguments: [
        Certificate(subject: "/C=SE/O=Keys/OU=Web Servers/CN=Key One"),
        Certificate(subject: "/O=Keys/OU=Authenticator Attestation/CN=Key One"),
        Certificate(subject: "/C=SE/OU=Authenticator Attestation/CN=Key One"),
        Certificate(subject: "/C=SE/O=Keys/OU=Authenticator Attestation"),
        Certificate(constraints: "critical,CA:TRUE"), Certificate(constraints: nil),
        Certificate(model: "DER:0410" + String(repeating: "08", count: 16)),
        Certificate(model: "critical,DER:0410" + String(repeating: "07", count: 16)),
        Certificate(model: "DER:0407" + String(repeating: "07", count: 7)),
    ])
    func certificateForSomethingElseIsRefused(_ certificate: Certificate) throws {
        #expect(try failure(certificate) == .badAttestation)
    }
}
