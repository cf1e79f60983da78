import Tenants
import Testing
import Verification

@testable import IdentityProvider
@testable import TokenSigning

struct SigningKeyDirectoryTests {
    private func keys(_ algorithm: SignatureAlgorithm, _ files: any FileReading) throws(SigningProblem) -> SigningKeys {
        try SigningKeyDirectory(path: TestKeys.directory, algorithm: algorithm, files: files).load()
    }

    @Test(arguments: [SignatureAlgorithm.es256, .rs256])
    func keyOfAlgorithmIsUsed(_ algorithm: SignatureAlgorithm) throws {
        let keys = try keys(algorithm, TestKeys.files())
        let key = try #require(algorithm == .es256 ? TestKeys.p256 : TestKeys.rsa)
        #expect(keys.keys.map(\.keyID) == [key.thumbprint])
        #expect(keys.active.keyID == key.thumbprint)
    }

    @Test func lastFileNameSigns() throws {
        let files = FakeKeyFiles()
        for name in ["2026-11", "2027-01", "2026-12"] { try TestKeys.put(.generate(.p256), named: name, in: files) }
        let keys = try keys(.es256, files)
        #expect(keys.keys.map(\.keyID) == ["2026-11", "2026-12", "2027-01"])
        #expect(keys.active.keyID == "2027-01")
    }

    @Test func keyOfAnotherKindIsSkipped() throws {
        let files = FakeKeyFiles()
        try TestKeys.put(#require(TestKeys.p256), named: "a", in: files)
        try TestKeys.put(#require(TestKeys.rsa), named: "b", in: files)
        #expect(try keys(.es256, files).active.keyID == "a")
    }

    @Test func publicKeysAndHiddenFilesAreIgnored() throws {
        let files = try TestKeys.files()
        files["/keys/zz.jwk"] = #"{"kty":"EC"}"#
        files["/keys/.zz.pem"] = "half a key"
        files["/keys/README"] = "keys"
        #expect(try keys(.es256, files).active.keyID == TestKeys.p256?.thumbprint)
    }

    @Test func fileWithoutPrivateKeyIsError() throws {
        let files = try TestKeys.files()
        files["/keys/half.pem"] = "-----BEGIN PRIVATE KEY-----\nMIG"
        let files2 = FakeKeyFiles(["/keys/public.pem": try #require(TestKeys.p256?.publicKeyPEM)])
        #expect(throws: SigningProblem.unusable(path: "/keys/half.pem", .notAPrivateKey)) {
            try keys(.es256, files)
        }
        #expect(throws: SigningProblem.unusable(path: "/keys/public.pem", .notAPrivateKey)) {
            try keys(.es256, files2)
        }
    }

    @Test func missingKeyIsErrorWithRemedy() throws {
        let problem = SigningProblem.noKey(directory: "/keys", .es384)
        #expect(throws: problem) { try keys(.es384, TestKeys.files()) }
        #expect(throws: problem) { try keys(.es384, FakeKeyFiles()) }
        #expect("\(problem)".contains("gatehouse keys generate --algorithm ES384 --out /keys"))
    }

    @Test func unreadableDirectoryIsError() {
        #expect(throws: SigningProblem.unreadable(path: "/keys", BrokenKeyFiles.fault)) {
            try keys(.es256, BrokenKeyFiles())
        }
    }

    @Test func trailingSlashIsIgnored() throws {
        let directory = SigningKeyDirectory(
            path: "/keys/",
            algorithm: .es256,
            files: SlashedFiles(try TestKeys.files())
        )
        #expect(try directory.load().active.keyID == TestKeys.p256?.thumbprint)
    }
}

/// Lists `/keys/` as `/keys`, and reads no path with two slashes.
private struct SlashedFiles: FileReading {
    private let files: FakeKeyFiles

    init(_ files: FakeKeyFiles) {
        self.files = files
    }

    func read(_ path: String) throws(FileReadingError) -> [UInt8] { try files.read(path) }

    func list(_ directory: String) throws(FileReadingError) -> [String] { try files.list(String(directory.dropLast())) }
}
