import Testing
import Verification

@testable import IdentityProvider
@testable import TokenSigning

struct DirectoryKeysTests {
    private static let claims: JSONObject = ["iss": "https://chat.example", "sub": "a", "aud": "chat-api", "exp": 100]

    private func keyID(of token: String, _ files: FakeKeyFiles) throws -> String? {
        try IssuerRules.chat.verifier(files).verify(Array(token.utf8), at: 50).keyID
    }

    private func publishedKeyIDs(_ keys: DirectoryKeys) async throws -> [String?] {
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
