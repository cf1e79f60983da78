import TestSupport
import Testing
import Time
import Verification

@testable import Tenants

/// Private keys that an issuer is given, in whatever form.
struct GivenSigningKeyTests {
    private static let named = SamplePrivateKeys.ellipticCurve.replacing(#""crv""#, with: #""kid":"mine","crv""#)

    private func read(_ text: String, _ algorithm: SignatureAlgorithm = .es256) throws -> [GivenSigningKey] {
        try GivenSigningKey.read(Array(text.utf8), algorithm)
    }

    private func signs(_ given: GivenSigningKey, _ algorithm: SignatureAlgorithm) throws -> Bool {
        let token = try TokenSigner(given.key, algorithm: algorithm, keyID: given.keyID).sign(["iss": "i", "sub": "a"])
        let issuer = IssuerPolicy(issuer: "i", algorithms: [algorithm], keys: try GivenSigningKey.publicKeys([given]))
        let verifier = TokenVerifier(VerificationPolicy(issuers: [issuer], requiredClaims: []))
        return try verifier.verify(Array(token.utf8), at: UnixTime(0)).keyID == given.keyID
    }

    @Test func jwkSignsAndKeepsItsName() throws {
        let elliptic = try #require(try read(Self.named).first)
        #expect(elliptic.keyID == "mine")
        #expect(try signs(elliptic, .es256))
        let rsa = try #require(try read("\n " + SamplePrivateKeys.rsa, .rs256).first)
        #expect(rsa.keyID == rsa.key.thumbprint)
        #expect(try signs(rsa, .rs256))
    }

    @Test(arguments: [(SigningKey.Kind.p256, SignatureAlgorithm.es256), (.rsa(bits: 2048), .rs256)])
    func pemMayHaveEscapedLineEnds(_ kind: SigningKey.Kind, _ algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey.generate(kind)
        let pem = try #require(key.privateKeyPEM)
        for ending in ["\n", #"\n"#, "\r\n", #"\r\n"#] {
            let text = pem.split(separator: "\n").joined(separator: ending)
            let given = try #require(try read(text, algorithm).first)
            #expect(given.keyID == key.thumbprint)
            #expect(try signs(given, algorithm))
        }
    }

    @Test func firstOfSeveralKeysComesFirst() throws {
        let keys = try (0..<3).map { _ in try SigningKey.generate(.p256) }
        let pem = try keys.map { try #require($0.privateKeyPEM).replacing("\n", with: #"\n"#) }.joined(separator: "\n")
        #expect(try read(pem).map(\.keyID) == keys.map(\.thumbprint))
        let set = #"{ "keys": [\#(Self.named), \#(SamplePrivateKeys.ellipticCurve)] }"#
        let unnamed = try #require(try read(SamplePrivateKeys.ellipticCurve).first)
        #expect(try read(set).map(\.keyID) == ["mine", unnamed.key.thumbprint])
    }

    @Test(arguments: [
        ("", GivenKeyFault.signing(.notAPrivateKey)), ("{", .signing(.notAPrivateKey)),
        ("{}", .signing(.unsupportedKey)),
        ("[]", .signing(.notAPrivateKey)), ("\\", .signing(.notAPrivateKey)),
        (#"{"keys":[]}"#, .signing(.notAPrivateKey)),
        (#"{"keys":[1]}"#, .signing(.notAPrivateKey)), (SamplePrivateKeys.rsa, .otherAlgorithm(.es256)),
        (named.replacing(#""d":"#, with: #""other":"#), .signing(.publicKey)),
        (named.replacing(#""crv""#, with: #""alg":"RS256","crv""#), .otherAlgorithm(.es256)),
        (named.replacing(#""crv""#, with: #""use":"enc","crv""#), .notForSigning),
        (named.replacing(#""crv""#, with: #""key_ops":["verify"],"crv""#), .notForSigning),
        (named.replacing(#""crv""#, with: #""key_ops":"sign","crv""#), .notForSigning),
        (named.replacing(#""mine""#, with: #""""#), .unusableKeyID),
        (named.replacing(#""mine""#, with: "1"), .unusableKeyID),
        (named.replacing("mine", with: String(repeating: "a", count: 257)), .unusableKeyID),
        ("{ \"keys\": [\(named), \(named)] }", .sameKeyID),
        ("{ \"keys\": [\(Array(repeating: named, count: 17).joined(separator: ","))] }", .tooMany),
    ])
    func textsWithoutUsableKeysAreRefused(_ text: String, _ fault: GivenKeyFault) {
        #expect(throws: fault) { try read(text) }
    }

    @Test func keyForSigningIsAccepted() throws {
        let text = Self.named.replacing(#""crv""#, with: #""alg":"ES256","use":"sig","key_ops":["sign"],"crv""#)
        #expect(try read(text).count == 1)
    }

    @Test func weakKeyIsRefused() throws {
        let weak = try OpenSSLCommand.inDirectory { openSSL in
            try openSSL.run(["genrsa", "-out", "weak.pem", "1024"])
            return String(decoding: try openSSL.content("weak.pem"), as: UTF8.self)
        }
        #expect(throws: GivenKeyFault.signing(.weakKey)) { try read(weak, .rs256) }
    }

    @Test func publicKeysHaveNothingPrivate() throws {
        let set = try GivenSigningKey.publicKeys(try read(Self.named))
        #expect(set.keys.map(\.keyID) == ["mine"])
        var dumped = ""
        dump(try read(Self.named), to: &dumped)
        #expect(!dumped.contains("jpsQnnGQmL"))
    }

    @Test func keyOfTheFirstFileSigns() throws {
        let (one, two) = (try SigningKey.generate(.p256), try SigningKey.generate(.p256))
        let files = PretendFiles([
            "/one": try #require(one.privateKeyPEM), "/two": try #require(two.privateKeyPEM), "/bad": "canary",
        ])
        let source = KeyFileSource(kind: .privateKeys(others: ["/two"]), path: "/one", algorithms: [.es256])
        #expect(try source.load(from: files).keys.map(\.keyID) == [one.thumbprint, two.thumbprint])
        #expect(try source.privateKeys(from: files).map(\.keyID) == [one.thumbprint, two.thumbprint])
        #expect(source.watchedPaths(in: files) == ["/one", "/two"])
    }

    @Test(arguments: [
        ("/none", SignatureAlgorithm.es256, "\"/none\" cannot be read: no such file or directory"),
        ("/bad", .es256, "\"/bad\" holds no private key: give one for ES256, as PEM or JWK"),
        ("/one", .es256, "\"/one\" holds a key twice, or two keys with one \"kid\": leave one out"),
        ("/one", .rs256, "\"/one\" holds a key that is not for RS256: give one that is, or change \"algorithm\""),
    ])
    func fileThatCannotBeUsedIsNamed(_ path: String, _ algorithm: SignatureAlgorithm, _ message: String) throws {
        let one = try #require(try SigningKey.generate(.p256).privateKeyPEM)
        let files = PretendFiles(["/one": one, "/bad": "canary"])
        let source = KeyFileSource(kind: .privateKeys(others: [path]), path: "/one", algorithms: [algorithm])
        do throws(KeyFileProblem) {
            _ = try source.load(from: files)
            Issue.record("it was read")
        } catch {
            #expect(error.description.hasPrefix(message), "\(error)")
            #expect(!error.description.contains("canary"))
        }
    }
}
