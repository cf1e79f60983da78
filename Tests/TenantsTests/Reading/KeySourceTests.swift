import Testing
import Verification

@testable import Tenants

/// Where the keys of each issuer come from, as tenants.yaml says.
struct KeySourceTests {
    private static func authentication(
        _ issuers: String,
        more: String = "",
        files: [String: String] = [:]
    ) throws -> Authentication {
        let result = Sample.read(
            Sample.tenant(issuers: issuers, more: more),
            path: "/srv/tenants.yaml",
            files: PretendFiles(files)
        )
        #expect(result.errors.isEmpty)
        let authentication = try #require(result.configuration?.tenants.first?.authenticate)
        #expect(authentication.keySources.count == authentication.policy.issuers.count)
        return authentication
    }

    private static func signIn(_ provider: String, _ addresses: String) -> String {
        "sign_in: { \(provider): { path: /a, client_ids: [a], then: forward, \(addresses) } }"
    }

    @Test func secretInTheFileIsInline() throws {
        let authentication = try Self.authentication("[\(Sample.issuer)]")
        #expect(authentication.keySources == [.inline])
        #expect(authentication.policy.issuers.first?.keys?.keys.count == 1)
    }

    @Test func keyFilesAreReadAndNamed() throws {
        let key = try SigningKey.generate(.p256)
        let jwk = try #require(key.publicJWK())
        let authentication = try Self.authentication(
            """
            [{ issuer: a, audiences: [a], algorithms: [HS256], secret_file: a.secret }, \
            { issuer: b, audiences: [a], algorithms: [ES256], public_key_file: keys/b.pem }, \
            { issuer: c, audiences: [a], algorithms: [ES256], jwks_file: /keys/c.json }]
            """,
            files: [
                "/srv/a.secret": Sample.secret, "/srv/keys/b.pem": try #require(key.publicKeyPEM),
                "/keys/c.json": JSONWriter.text(of: .object(jwk)),
            ]
        )
        #expect(
            authentication.keySources == [
                .file(KeyFileSource(kind: .secret, path: "/srv/a.secret", algorithms: [.hs256])),
                .file(KeyFileSource(kind: .publicKey, path: "/srv/keys/b.pem", algorithms: [.es256])),
                .file(KeyFileSource(kind: .keySet, path: "/keys/c.json", algorithms: [.es256])),
            ]
        )
        #expect(authentication.policy.issuers.allSatisfy { $0.keys?.keys.count == 1 })
    }

    @Test func keysDirectoryOfTheOwnIssuerMayComeLater() throws {
        let issuer = "url: 'https://shop.test', audience: a, algorithm: ES256"
        let authentication = try Self.authentication(
            "[{ preset: built-in }]",
            more: "issuer: { \(issuer), keys_dir: keys }"
        )
        #expect(
            authentication.keySources == [
                .file(KeyFileSource(kind: .directory, path: "/srv/keys", algorithms: [.es256]))
            ]
        )
        #expect(authentication.policy.issuers.first?.keys == .empty)
        #expect(authentication.policy.issuers.first?.requiresAccessTokenType == true)
        let without = try Self.authentication("[{ preset: built-in }]", more: "issuer: { \(issuer) }")
        #expect(without.keySources == [.builtIn(tenant: "shop")])
        let policy = try #require(without.policy.issuers.first)
        #expect(policy.keys == nil)
        #expect(policy.issuer == "https://shop.test" && policy.audiences == ["a"] && policy.algorithms == [.es256])
        #expect(policy.requiresAccessTokenType)
    }

    @Test func givenKeysOfTheOwnIssuerAreTrusted() throws {
        let issuer = "url: 'https://shop.test', audience: a, algorithm: ES256"
        let (one, two) = (try SigningKey.generate(.p256), try SigningKey.generate(.p256))
        let files = [
            "/srv/one.pem": try #require(one.privateKeyPEM), "/keys/two.pem": try #require(two.privateKeyPEM),
        ]
        let inFile = try Self.authentication(
            "[{ preset: built-in }]",
            more: "issuer: { \(issuer), key_file: one.pem }",
            files: files
        )
        #expect(inFile.policy.issuers.first?.keys?.keys.map(\.keyID) == [one.thumbprint])
        let inFiles = try Self.authentication(
            "[{ preset: built-in }]",
            more: "issuer: { \(issuer), key_files: [one.pem, /keys/two.pem] }",
            files: files
        )
        #expect(
            inFiles.keySources == [
                .file(
                    KeyFileSource(
                        kind: .privateKeys(others: ["/keys/two.pem"]),
                        path: "/srv/one.pem",
                        algorithms: [.es256]
                    )
                )
            ]
        )
        #expect(inFiles.policy.issuers.first?.keys?.keys.map(\.keyID) == [one.thumbprint, two.thumbprint])
        let text = try #require(one.privateKeyPEM).replacing("\n", with: #"\n"#)
        let inline = try Self.authentication(
            "[{ preset: built-in }]",
            more: "issuer: { \(issuer), key: '\(text)' }"
        )
        #expect(inline.keySources == [.inline])
        #expect(inline.policy.issuers.first?.keys?.keys.map(\.keyID) == [one.thumbprint])
        #expect(inline.policy.issuers.first?.requiresAccessTokenType == true)
    }

    @Test(arguments: [
        "https://id.test/k", "https://id.test:8443/k?a=b", "http://127.0.0.1:9/k", "http://localhost/k",
        "http://[::1]:9/k",
    ])
    func addressIsARemoteSourceWithoutKeys(url: String) throws {
        let authentication = try Self.authentication(
            "[{ issuer: i, audiences: [a], algorithms: [RS256, ES256], jwks_url: '\(url)' }]"
        )
        #expect(authentication.keySources == [.remote(RemoteKeySource(location: .keySet(url: url)))])
        let policy = try #require(authentication.policy.issuers.first)
        #expect(policy.keys == nil && !policy.requiresAccessTokenType)
        #expect(policy.issuer == "i" && policy.algorithms == [.rs256, .es256])
    }

    @Test func plainHTTPIsAllowedForTheSourceThatNeedsIt() throws {
        let plain = try Self.authentication(
            "[{ issuer: i, audiences: [a], algorithms: [RS256], jwks_url: 'http://id:8080/k', allow_http: true }]"
        )
        var source = RemoteKeySource(location: .keySet(url: "http://id:8080/k"))
        source.allowsPlainHTTP = true
        #expect(plain.keySources == [.remote(source)])
        let secure = try Self.authentication(
            "[{ issuer: i, audiences: [a], algorithms: [RS256], jwks_url: 'https://id/k', allow_http: true }]"
        )
        #expect(secure.keySources == [.remote(RemoteKeySource(location: .keySet(url: "https://id/k")))])
    }

    @Test func discoveryUsesTheIssuer() throws {
        let authentication = try Self.authentication(
            "[{ issuer: 'https://id.test/tenant/', audiences: [a], algorithms: [RS256], discovery: true }]"
        )
        let location = RemoteKeySource.Location.discovery(issuer: "https://id.test/tenant/")
        #expect(authentication.keySources == [.remote(RemoteKeySource(location: location))])
        #expect(authentication.policy.issuers.first?.keys == nil)
    }

    @Test func appleKeysAreFreshForADay() throws {
        let authentication = try Self.authentication("[{ preset: apple, audiences: [a, b] }]")
        let location = RemoteKeySource.Location.keySet(url: "https://appleid.apple.com/auth/keys")
        #expect(
            authentication.keySources == [.remote(RemoteKeySource(location: location, lifetime: .seconds(86_400)))]
        )
        let policy = try #require(authentication.policy.issuers.first)
        #expect(policy.issuer == "https://appleid.apple.com")
        #expect(policy.audiences == ["a", "b"] && policy.algorithms == [.rs256] && policy.keys == nil)
    }

    @Test func bothGoogleIssuersShareOneKeySet() throws {
        let authentication = try Self.authentication("[\(Sample.issuer), { preset: google, audiences: [a] }]")
        let location = RemoteKeySource.Location.keySet(url: "https://www.googleapis.com/oauth2/v3/certs")
        let source = KeySource.remote(RemoteKeySource(location: location))
        #expect(authentication.keySources == [.inline, source, source])
        let policies = authentication.policy.issuers
        #expect(policies.map(\.issuer) == ["i", "https://accounts.google.com", "accounts.google.com"])
        #expect(policies.dropFirst().allSatisfy { $0.audiences == ["a"] && $0.algorithms == [.rs256] })
    }

    @Test func signInSectionMayChangeAPresetsAddress() throws {
        let apple = try Self.authentication(
            "[{ preset: apple, audiences: [a] }]",
            more: Self.signIn("apple", "jwks_url: 'http://127.0.0.1:9/keys', issuer: 'http://127.0.0.1:9'")
        )
        let location = RemoteKeySource.Location.keySet(url: "http://127.0.0.1:9/keys")
        #expect(apple.keySources == [.remote(RemoteKeySource(location: location, lifetime: .seconds(86_400)))])
        #expect(apple.policy.issuers.map(\.issuer) == ["http://127.0.0.1:9"])
        let google = try Self.authentication(
            "[{ preset: google, audiences: [a] }]",
            more: Self.signIn("google", "issuer: 'https://google.test'")
        )
        #expect(google.policy.issuers.map(\.issuer) == ["https://google.test"])
        let sameName = try Self.authentication(
            "[{ preset: google, audiences: [a] }]",
            more: Self.signIn("google", "issuer: 'https://accounts.google.com', jwks_url: 'https://g.test'")
        )
        #expect(sameName.policy.issuers.count == 2)
        #expect(sameName.keySources.first == .remote(RemoteKeySource(location: .keySet(url: "https://g.test"))))
        // Apple's addresses are nothing to Google.
        let other = try Self.authentication(
            "[{ preset: google, audiences: [a] }]",
            more: Self.signIn("apple", "issuer: 'https://apple.test'")
        )
        #expect(other.policy.issuers.count == 2)
    }

    @Test(arguments: [
        (RemoteKeySource.Location.keySet(url: "https://id.test/k?key=canary"), "https://id.test/k"),
        (.keySet(url: "https://u:canary@id.test:8443"), "https://id.test:8443"),
        (.keySet(url: "https://id.test/a@b#canary"), "https://id.test/a@b"),
        (.discovery(issuer: "https://id.test/tenant/"), "https://id.test/tenant/"),
    ])
    func labelsHaveNeitherUserNorQuery(location: RemoteKeySource.Location, label: String) {
        #expect(RemoteKeySource(location: location).label == label)
    }

    @Test func policyMadeInCodeHasInlineKeys() {
        let issuer = IssuerPolicy(issuer: "i", algorithms: [.hs256], keys: .empty)
        let authentication = Authentication(policy: VerificationPolicy(issuers: [issuer, issuer]))
        #expect(authentication.keySources == [.inline, .inline])
    }
}
