import Store
import Tenants
import Testing
import Verification

@testable import IdentityProvider
@testable import TokenSigning

/// Published keys.
struct PublishedKeysTests {
    /// RFC 7518 section 6.3.2 and 6.2.2.1, RFC 8037 section 2, RFC 7518 section 6.4.1.
    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    private func jwks(_ published: PublishedKeys) throws -> [JSONObject] {
        try #require(published.document["keys"]?.array).compactMap(\.object)
    }

    @Test(arguments: [SignatureAlgorithm.es256, .rs256])
    func publishedRingHasOnlyPublicMembers(_ algorithm: SignatureAlgorithm) async throws {
        let instance = try KeyInstance(MemoryStore.still, algorithm: algorithm)
        let published = try await instance.keys.published()
        let keys = try jwks(published)
        let numbers = algorithm == .es256 ? ["kty", "crv", "x", "y"] : ["kty", "n", "e"]
        #expect(published.document.members.map(\.name) == ["keys"])
        #expect(keys.count == 2)
        for key in keys {
            #expect(key.members.map(\.name) == numbers + ["kid", "use", "alg"])
            #expect(key["use"] == "sig" && key["alg"]?.string == algorithm.rawValue)
        }
        // The document gives the same keys.
        let read = try KeySet(jwks: JSONWriter.bytes(of: published.document), origin: .url)
        #expect(read.keys == published.keys.keys)
    }

    @Test func privateMembersOfFileAreNotPublished() async throws {
        let files = try TestKeys.files()
        // A private JWK with recognizable members.
        var jwk = try #require(try SigningKey.generate(.p256).publicJWK())
        for member in Self.privateMembers { jwk[member] = .string("c2VjcmV0") }
        jwk["kid"] = "gone"
        files["/keys/gone.jwk"] = JSONWriter.text(of: .object(jwk))
        let published = try await TestKeys.directoryKeys(.es256, files).published()
        let keys = try jwks(published)
        #expect(Set(keys.compactMap { $0["kid"]?.string }) == ["gone", try #require(TestKeys.p256?.thumbprint)])
        for key in keys { #expect(key.members.map(\.name) == ["kty", "crv", "x", "y", "kid", "use", "alg"]) }
        #expect(!JSONWriter.text(of: .object(published.document)).contains("c2VjcmV0"))
    }

    @Test func keysOfOtherAlgorithmsAndSecretsAreNotPublished() throws {
        let rsa = try #require(TestKeys.rsa?.publicJWK(algorithm: .ps256))
        let ec = try #require(TestKeys.p256?.publicJWK())
        let set = try KeySet(jwks: JSONWriter.bytes(of: ["keys": [.object(rsa), .object(ec)]] as JSONObject))
        #expect(try jwks(PublishedKeys(set, algorithm: .es256)).compactMap { $0["kty"]?.string } == ["EC"])
        #expect(try jwks(PublishedKeys(set, algorithm: .rs256)).isEmpty)
        let secret = try KeySet(secret: Array(repeating: 7, count: 64))
        #expect(try jwks(PublishedKeys(secret, algorithm: .hs256)).isEmpty)
    }
}
