import Tenants
import Testing
import Verification

@testable import IdentityProvider
@testable import TokenSigning

/// Private keys in files, as written by `gatehouse keys generate`.
enum TestKeys {
    static let directory = "/keys"
    static let p256 = try? SigningKey.generate(.p256)
    static let rsa = try? SigningKey.generate(.rsa(bits: 2048))

    /// A key for ES256 and one for RS256.
    static func files() throws -> FakeKeyFiles {
        let files = FakeKeyFiles()
        for key in [try #require(p256), try #require(rsa)] { try put(key, in: files) }
        return files
    }

    /// - Parameter name: Without the extension; nil for the thumbprint.
    static func put(_ key: SigningKey, named name: String? = nil, in files: FakeKeyFiles) throws {
        let name = try name ?? #require(key.thumbprint)
        files["\(directory)/\(name).pem"] = key.privateKeyPEM
    }
}

extension IssuerRules {
    static let chat = IssuerRules(
        tenant: "chat",
        url: "https://chat.example",
        audience: "chat-api",
        algorithm: .es256,
        access: .seconds(1800),
        refresh: .seconds(30 * 86_400)
    )

    static let clans = IssuerRules(
        tenant: "clans",
        url: "https://clans.example/oidc",
        audience: "clanboards-mobile",
        algorithm: .rs256,
        access: .seconds(3600),
        refresh: .seconds(86_400),
        longestSession: .seconds(3 * 86_400)
    )

    /// Verifies with the keys of the same directory.
    func verifier(_ files: any FileReading) throws -> TokenVerifier {
        let source = KeyFileSource(kind: .directory, path: TestKeys.directory, algorithms: [algorithm])
        let issuer = IssuerPolicy(
            issuer: url,
            audiences: [audience],
            algorithms: [algorithm],
            keys: try source.load(from: files)
        )
        return TokenVerifier(VerificationPolicy(issuers: [issuer], leeway: 0, requiredClaims: ["sub", "exp"]))
    }
}
