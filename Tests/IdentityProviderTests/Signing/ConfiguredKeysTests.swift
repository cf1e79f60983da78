import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants
@testable import TokenSigning

struct ConfiguredKeysTests {
    private static let claims: JSONObject = ["iss": "https://chat.example", "sub": "a", "aud": "chat-api", "exp": 100]

    private func keyID(of token: String, _ files: FakeKeyFiles) throws -> String? {
        try IssuerRules.chat.verifier(files).verify(Array(token.utf8), at: 50).keyID
    }

    private func publishedKeyIDs(_ keys: ConfiguredKeys) async throws -> [String?] {
        try await keys.published().keys.keys.map(\.keyID)
    }

    @Test func newKeySignsAfterReload() async throws {
        let files = FakeKeyFiles()
        try TestKeys.put(.generate(.p256), named: "1", in: files)
        let keys = TestKeys.directoryKeys(.es256, files)
        #expect(await keys.keyID == nil)
        #expect(try keyID(of: await keys.sign(Self.claims, as: .access), files) == "1")
        #expect(try await publishedKeyIDs(keys) == ["1"])
        try TestKeys.put(.generate(.p256), named: "2", in: files)
        #expect(try keyID(of: await keys.sign(Self.claims, as: .access), files) == "1")
        try await keys.reload()
        #expect(try keyID(of: await keys.sign(Self.claims, as: .access), files) == "2")
        #expect(await keys.keyID == "2")
        #expect(try await publishedKeyIDs(keys) == ["1", "2"])
    }

    @Test func failedReloadKeepsKey() async throws {
        let files = FakeKeyFiles()
        try TestKeys.put(.generate(.p256), named: "1", in: files)
        let keys = TestKeys.directoryKeys(.es256, files)
        try await keys.reload()
        files["/keys/2.pem"] = "nonsense"
        await #expect(throws: SigningProblem.self) { try await keys.reload() }
        #expect(try await publishedKeyIDs(keys) == ["1"])
        files["/keys/2.pem"] = nil
        #expect(try keyID(of: await keys.sign(Self.claims, as: .access), files) == "1")
    }

    @Test func keyAddedLaterIsFound() async throws {
        let files = FakeKeyFiles()
        let keys = TestKeys.directoryKeys(.es256, files)
        await #expect(throws: SigningProblem.noKey(directory: "/keys", .es256)) {
            try await keys.sign(Self.claims, as: .access)
        }
        try TestKeys.put(.generate(.p256), named: "1", in: files)
        #expect(try keyID(of: await keys.sign(Self.claims, as: .access), files) == "1")
    }

    @Test func firstGivenKeySignsAndAllAreKnown() async throws {
        let (old, new) = (try SigningKey.generate(.p256), try SigningKey.generate(.p256))
        let files = FakeKeyFiles()
        files["/old.pem"] = old.privateKeyPEM
        files["/new.pem"] = new.privateKeyPEM
        let keys = Self.givenKeys(["/old.pem", "/new.pem"], files)
        let token = try await keys.sign(Self.claims, as: .access)
        #expect(try UnverifiedToken(Array(token.utf8)).header["kid"]?.string == old.thumbprint)
        #expect(try await publishedKeyIDs(keys) == [old.thumbprint, new.thumbprint])
        // The new one takes over.
        files["/old.pem"] = new.privateKeyPEM
        await #expect(throws: SigningProblem.self) { try await keys.reload() }
        #expect(try await publishedKeyIDs(keys) == [old.thumbprint, new.thumbprint])
        files["/new.pem"] = old.privateKeyPEM
        try await keys.reload()
        let next = try await keys.sign(Self.claims, as: .access)
        #expect(try UnverifiedToken(Array(next.utf8)).header["kid"]?.string == new.thumbprint)
        let set = try await keys.published().keys
        for token in [token, next] {
            _ = try JWS.verify(compact: Array(token.utf8), keys: set)
        }
        let document = JSONWriter.text(of: .object(try await keys.published().document))
        #expect(!document.contains("\"d\"") && document.contains("\"alg\":\"ES256\""))
    }

    @Test func missingGivenKeyIsAProblem() async {
        let keys = Self.givenKeys(["/none.pem"], FakeKeyFiles())
        await #expect(throws: SigningProblem.self) { try await keys.sign(Self.claims, as: .access) }
        await #expect(throws: SigningProblem.self) { try await keys.published() }
    }

    private static func givenKeys(_ paths: [String], _ files: FakeKeyFiles) -> ConfiguredKeys {
        var issuer = BuiltInIssuer(url: "https://chat.example", audience: "chat-api", algorithm: .es256)
        issuer.givenKeys = .files(paths)
        return ConfiguredKeys(algorithm: .es256, source: GivenSigningKeys(issuer, files: files))
    }

    @Test func tooLongTokenIsNotSigned() async throws {
        var claims = Self.claims
        claims["name"] = .string(String(repeating: "a", count: 16 * 1024))
        let keys = TestKeys.directoryKeys(.es256, try TestKeys.files())
        let problem = await #expect(throws: SigningProblem.self) { try await keys.sign(claims, as: .id) }
        guard case .tooLong = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
    }

    @Test(arguments: [(IssuedTokenType.access, "at+jwt"), (.id, "JWT"), (.hook, "hook+jwt")])
    func headerHasType(_ type: IssuedTokenType, _ word: String) async throws {
        let token = try await TestKeys.directoryKeys(.rs256, TestKeys.files()).sign(Self.claims, as: type)
        let members = try UnverifiedToken(Array(token.utf8)).header
        #expect(members["typ"]?.string == word)
        #expect(members["alg"] == "RS256")
        #expect(members["kid"]?.string == TestKeys.rsa?.thumbprint)
    }
}
