import Demo
import Foundation
import TestSupport
import Testing
import Verification

/// An issuer that signs with keys from the environment and from files, without `GATEHOUSE_KEY`.
@Suite struct IssuerKeyTests {
    private static let algorithm = "    algorithm: RS256\n"

    /// - Parameter keys: The issuer's key for its keys.
    private static func setup(_ keys: String, environment: [String: String] = [:]) -> GatewaySetup {
        var setup = AppSetup.fixture([.clans])
        setup.others = setup.others.replacing(algorithm, with: "\(algorithm)    \(keys)\n")
        setup.sealingKeys = nil
        setup.environment = environment
        return setup
    }

    private func tokens(_ fixture: GatewayFixture, _ standIn: ProviderStandIn, nonce: String) async throws
        -> GivenTokens
    {
        let identity = try standIn.appleToken(.anna, for: "com.example.clans", nonce: nonce)
        let body: JSONObject = ["id_token": .string(identity), "nonce": .string(nonce), "name": "Anna"]
        return try GivenTokens(
            try await fixture.app(.clans).post("/api/v1/users/auth/apple/exchange", json: body),
            fixture
        )
    }

    private func publishedKeyIDs(_ fixture: GatewayFixture) async throws -> [String?] {
        let keys = try await fixture.app(.clans).get("/api/v1/users/oauth2/jwks.json").json?["keys"]?.array ?? []
        #expect(keys.allSatisfy { $0.object?["d"] == nil && $0.object?["alg"] == "RS256" })
        return keys.map { $0.object?["kid"]?.string }
    }

    private func status(_ token: String, _ fixture: GatewayFixture) async throws -> Int {
        try await fixture.app(.clans).get("/api/v1/boards", token: token).status
    }

    @Test func keyOfTheEnvironmentSignsAndIsPublished() async throws {
        let key = try SigningKey.generate(.rsa(bits: 2048))
        let pem = try #require(key.privateKeyPEM)
        let setup = Self.setup(#"key: "${ISSUER_KEY}""#, environment: ["ISSUER_KEY": pem.replacing("\n", with: #"\n"#)])
        try await withStandIn(setup) { standIn, values in
            // Apple's key comes from there too.
            var setup = setup
            setup.environment["APPLE_KEY"] = standIn.appleP8.replacing("\n", with: #"\n"#)
            setup.others = setup.others.replacing(
                #"private_key_file: "{apple_p8}""#,
                with: #"private_key: "${APPLE_KEY}""#
            )
            try await withGateway(setup, backend: AppBackend.script, values: values) { fixture async throws in
                for secret in [pem, standIn.appleP8] {
                    fixture.keepSecret(String(secret.split(separator: "\n")[1]))
                }
                let given = try await tokens(fixture, standIn, nonce: "a")
                #expect(given.keyID == key.thumbprint)
                #expect(try await publishedKeyIDs(fixture) == [key.thumbprint])
                #expect(try await status(given.access, fixture) == 200)
                let browser = Browser(fixture.app(.clans))
                let form = ClientSignIn.clans.tokenForm(try await browser.code(.clans, at: standIn))
                let byCode = try GivenTokens(
                    try await fixture.app(.clans).post(ClientSignIn.clans.tokenPath, form: form),
                    fixture
                )
                #expect(byCode.keyID == key.thumbprint)
            }
        }
    }

    @Test func keysOfFilesAreRotatedWithoutRefusals() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let (old, new) = (try SigningKey.generate(.rsa(bits: 2048)), try SigningKey.generate(.rsa(bits: 2048)))
        let oldFile = try scratch.write(try #require(old.privateKeyPEM), to: "old.pem")
        let newFile = try scratch.write(try #require(new.privateKeyPEM), to: "new.pem")
        let setup = Self.setup("key_files: [\"\(oldFile)\", \"\(newFile)\"]")
        try await withStandIn(setup) { standIn, values in
            try await withGateway(setup, backend: AppBackend.script, values: values) { fixture async throws in
                let first = try await tokens(fixture, standIn, nonce: "a")
                #expect(first.keyID == old.thumbprint)
                #expect(try await publishedKeyIDs(fixture) == [old.thumbprint, new.thumbprint])

                await fixture.change(Self.setup("key_files: [\"\(newFile)\", \"\(oldFile)\"]"))
                let second = try await tokens(fixture, standIn, nonce: "b")
                #expect(second.keyID == new.thumbprint)
                #expect(try await publishedKeyIDs(fixture) == [new.thumbprint, old.thumbprint])
                #expect(try await status(first.access, fixture) == 200)
                #expect(try await status(second.access, fixture) == 200)

                await fixture.change(Self.setup("key_file: \"\(newFile)\""))
                #expect(try await publishedKeyIDs(fixture) == [new.thumbprint])
                #expect(try await status(first.access, fixture) == 401)
                #expect(try await status(second.access, fixture) == 200)
            }
        }
    }

    @Test func changedFileSignsWithoutAReload() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let (old, new) = (try SigningKey.generate(.rsa(bits: 2048)), try SigningKey.generate(.rsa(bits: 2048)))
        let (oldPEM, newPEM) = (try #require(old.privateKeyPEM), try #require(new.privateKeyPEM))
        let file = try scratch.write(oldPEM, to: "key.pem")
        let setup = Self.setup("key_file: \"\(file)\"")
        try await withStandIn(setup) { standIn, values in
            try await withGateway(setup, backend: AppBackend.script, values: values) { fixture async throws in
                let first = try await tokens(fixture, standIn, nonce: "a")
                #expect(first.keyID == old.thumbprint)
                let applied = fixture.log.halt(at: "keys read anew")
                // One file may hold both.
                try Data((newPEM + oldPEM).utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
                try await applied.isReached()
                applied.end()
                let second = try await tokens(fixture, standIn, nonce: "b")
                #expect(second.keyID == new.thumbprint)
                #expect(try await publishedKeyIDs(fixture) == [new.thumbprint, old.thumbprint])
                #expect(try await status(first.access, fixture) == 200)
                #expect(try await status(second.access, fixture) == 200)
            }
        }
    }
}
