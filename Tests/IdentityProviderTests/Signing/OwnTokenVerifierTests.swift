import Store
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import TokenSigning

struct OwnTokenVerifierTests {
    private static let now = UnixTime(1_800_000_000)
    private static let claims: JSONObject = [
        "iss": "https://chat.example", "sub": "alice", "aud": "chat-api", "iat": 1_800_000_000, "exp": 1_800_001_800,
    ]

    private func verify(
        _ token: String,
        as type: IssuedTokenType,
        at now: UnixTime = now,
        allowExpired: Bool = false,
        _ keys: any IssuerKeys
    ) async -> Result<String?, OwnTokenFailure> {
        await OwnTokenVerifier(.chat, keys: keys).verify(token, as: type, at: now, allowExpired: allowExpired)
            .map(\.subject)
    }

    private func expectRefusal(
        _ result: Result<String?, OwnTokenFailure>,
        _ reason: VerificationFailure.Code,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .failure(.refused(let failure)) = result else {
            Issue.record("\(result)", sourceLocation: sourceLocation)
            return
        }
        #expect(failure.reason == reason, sourceLocation: sourceLocation)
    }

    @Test func tokenIsAcceptedForItsTypeOnly() async throws {
        let keys = try KeyInstance(MemoryStore.still).keys
        for type in [IssuedTokenType.access, .id] {
            let token = try await keys.sign(Self.claims, as: type)
            #expect(await verify(token, as: type, keys) == .success("alice"))
            for other in [IssuedTokenType.access, .id, .hook] where other != type {
                #expect(await verify(token, as: other, keys) == .failure(.wrongType))
                #expect(await verify(token, as: other, allowExpired: true, keys) == .failure(.wrongType))
            }
        }
        // Other spellings and a missing `typ` are refused.
        let key = try #require(TestKeys.p256)
        let directory = TestKeys.directoryKeys(.es256, try TestKeys.files())
        let signer = try TokenSigner(key, algorithm: .es256, keyID: key.thumbprint)
        for type: JSONValue in ["AT+JWT", "application/at+jwt", "jwt", "", nil] {
            let token = try signer.sign(Self.claims, header: ["typ": type])
            for asked in [IssuedTokenType.access, .id] {
                #expect(await verify(token, as: asked, directory).isFailure)
            }
        }
    }

    @Test func accessTokenClaimsMustBeIssuers() async throws {
        let keys = try KeyInstance(MemoryStore.still).keys
        let wrong: [(String, JSONValue?, VerificationFailure.Code)] = [
            ("iss", "https://chat.example/", .unknownIssuer), ("aud", "other-api", .wrongAudience),
            ("aud", nil, .missingClaim), ("sub", nil, .missingClaim), ("exp", nil, .missingClaim),
            ("nbf", 1_800_000_100, .notYetValid), ("iat", 1_800_000_100, .issuedInFuture),
        ]
        for (name, value, reason) in wrong {
            var claims = Self.claims
            claims[name] = value
            expectRefusal(await verify(try await keys.sign(claims, as: .access), as: .access, keys), reason)
        }
        // The caller checks the audience of an ID token.
        var claims = Self.claims
        claims["aud"] = "a-client"
        #expect(await verify(try await keys.sign(claims, as: .id), as: .id, keys) == .success("alice"))
    }

    @Test func expiredTokenIsAcceptedIfAllowed() async throws {
        let keys = try KeyInstance(MemoryStore.still).keys
        let token = try await keys.sign(Self.claims, as: .id)
        let late = UnixTime(1_800_001_860)
        expectRefusal(await verify(token, as: .id, at: late, keys), .expired)
        #expect(await verify(token, as: .id, at: late, allowExpired: true, keys) == .success("alice"))
        #expect(await verify(token, as: .id, at: late + 1e9, allowExpired: true, keys) == .success("alice"))
        let broken = String(token.dropLast(4)) + "AAAA"
        expectRefusal(await verify(broken, as: .id, at: late, allowExpired: true, keys), .badSignature)
    }

    @Test func otherKeysAndAlgorithmsAreRefused() async throws {
        let keys = try KeyInstance(MemoryStore.still).keys
        let foreign = try KeyInstance(MemoryStore.still).keys
        expectRefusal(await verify(try await foreign.sign(Self.claims, as: .access), as: .access, keys), .unknownKey)
        let rsa = try KeyInstance(MemoryStore.still, algorithm: .rs256).keys
        expectRefusal(
            await verify(try await rsa.sign(Self.claims, as: .access), as: .access, keys),
            .algorithmNotAllowed
        )
        expectRefusal(await verify("nonsense", as: .access, keys), .malformed)
    }

    @Test func newKeysAreUsedOncePublished() async throws {
        let files = FakeKeyFiles()
        try TestKeys.put(.generate(.p256), named: "1", in: files)
        let keys = TestKeys.directoryKeys(.es256, files)
        let verifier = OwnTokenVerifier(.chat, keys: keys)
        let old = try await keys.sign(Self.claims, as: .access)
        #expect(await verifier.verify(old, as: .access, at: Self.now).isSuccess)
        try TestKeys.put(.generate(.p256), named: "2", in: files)
        try await keys.reload()
        let new = try await keys.sign(Self.claims, as: .access)
        #expect(await verifier.verify(new, as: .access, at: Self.now).isSuccess)
        #expect(await verifier.verify(old, as: .access, at: Self.now).isSuccess)
        files["/keys/1.pem"] = nil
        try await keys.reload()
        #expect(!(await verifier.verify(old, as: .access, at: Self.now).isSuccess))
    }

    @Test func missingKeysAreUnavailable() async {
        let keys = TestKeys.directoryKeys(.es256, BrokenKeyFiles())
        let result = await verify("a.b.c", as: .access, keys)
        guard case .failure(.unavailable(.unpublishable)) = result else {
            Issue.record("\(result)")
            return
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }

    fileprivate var isFailure: Bool { !isSuccess }
}
