import Testing
import Verification

@testable import Issuing

struct TokenMintTests {
    private static let claims: JSONObject = ["iss": "https://chat.example", "sub": "a", "aud": "chat-api", "exp": 100]

    private func keyID(of token: String, _ files: PretendFiles) throws -> String? {
        try IssuerRules.chat.verifier(files).verify(Array(token.utf8), at: 50).keyID
    }

    @Test func aNewKeySignsOnceItIsRead() async throws {
        let files = PretendFiles()
        try TestKeys.put(.generate(.p256), named: "1", in: files)
        let mint = TestKeys.mint(.es256, files)
        #expect(await mint.keyID == nil)
        #expect(try keyID(of: await mint.sign(Self.claims), files) == "1")
        try TestKeys.put(.generate(.p256), named: "2", in: files)
        #expect(try keyID(of: await mint.sign(Self.claims), files) == "1")
        try await mint.reload()
        #expect(try keyID(of: await mint.sign(Self.claims), files) == "2")
        #expect(await mint.keyID == "2")
    }

    @Test func aReloadThatFailsLeavesTheKeyInUse() async throws {
        let files = PretendFiles()
        try TestKeys.put(.generate(.p256), named: "1", in: files)
        let mint = TestKeys.mint(.es256, files)
        try await mint.reload()
        files["/keys/2.pem"] = "nonsense"
        await #expect(throws: SigningProblem.unusable(path: "/keys/2.pem", .notAPrivateKey)) { try await mint.reload() }
        files["/keys/2.pem"] = nil
        #expect(try keyID(of: await mint.sign(Self.claims), files) == "1")
    }

    @Test func aKeyThatIsMadeLaterIsFound() async throws {
        let files = PretendFiles()
        let mint = TestKeys.mint(.es256, files)
        await #expect(throws: SigningProblem.noKey(directory: "/keys", .es256)) { try await mint.sign(Self.claims) }
        try TestKeys.put(.generate(.p256), named: "1", in: files)
        #expect(try keyID(of: await mint.sign(Self.claims), files) == "1")
    }

    @Test func aTokenThatNobodyWouldVerifyIsNotMade() async throws {
        var claims = Self.claims
        claims["name"] = .string(String(repeating: "a", count: 16 * 1024))
        let mint = TestKeys.mint(.es256, try TestKeys.files())
        let problem = await #expect(throws: SigningProblem.self) { try await mint.sign(claims) }
        guard case .tooLong = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
    }

    @Test func theHeaderSaysAccessToken() async throws {
        let token = try await TestKeys.mint(.rs256, TestKeys.files()).sign(Self.claims)
        let header = try #require(Base64URL.decode(String(token.prefix { $0 != "." })))
        let members = try #require(JSONParser.parse(header).object)
        #expect(members["typ"] == "at+jwt")
        #expect(members["alg"] == "RS256")
        #expect(members["kid"]?.string == TestKeys.rsa?.thumbprint)
    }
}
