import Tenants
import Testing

/// What `introspection` comes out as.
struct IntrospectionReadingTests {
    private static let alone = """
        version: 1
        tenants:
          shop:
            hosts: [shop.test]
            backend: { servers: [http://127.0.0.1:9001] }
            authenticate: { from: [bearer] }
            introspection:
              url: https://id.test/introspect?x=1
              client_id: gate
              client_secret: "${SECRET}"
              issuer: https://id.test
              audiences: [shop, all]
              cache: 5s

        """

    private static func read(_ text: String) throws -> Tenant {
        let result = Sample.read(text, environment: ["SECRET": "hush"])
        #expect(result.errors.isEmpty)
        return try #require(result.configuration?.tenants.first)
    }

    @Test func everyKeyIsRead() throws {
        let rules = try #require(try Self.read(Self.alone).introspection)
        #expect(rules.url == "https://id.test/introspect?x=1")
        #expect(rules.clientID == "gate")
        #expect(rules.clientSecret == Secret("hush"))
        #expect(rules.cache == .seconds(5))
        #expect(rules.issuer == "https://id.test")
        #expect(rules.audiences == ["shop", "all"])
        #expect(rules.line == 7)
        #expect(rules.name == "https://id.test")
    }

    @Test func introspectionNeedsNoIssuers() throws {
        let tenant = try Self.read(Self.alone)
        #expect(tenant.authenticate.policy.issuers.isEmpty)
        #expect(tenant.authenticate.keySources.isEmpty)
        #expect(tenant.authenticate.policy.requiredClaims == ["exp"])
    }

    @Test func omittedKeysHaveDefaults() throws {
        let more = "introspection: { url: 'http://127.0.0.1:9/i', client_id: c, client_secret: s }"
        let tenant = try Self.read(Sample.tenant(more: more))
        let rules = try #require(tenant.introspection)
        #expect(rules.cache == .seconds(30))
        #expect(rules.issuer == nil)
        #expect(rules.audiences.isEmpty)
        #expect(rules.name == "http://127.0.0.1:9/i")
        #expect(tenant.authenticate.policy.issuers.count == 1)
    }

    @Test func opaqueTokensAreRefusedWithoutIntrospection() throws {
        #expect(try Self.read(Sample.tenant()).introspection == nil)
    }

    @Test func secretIsNotPrinted() throws {
        let result = Sample.read(Self.alone, environment: ["SECRET": "hush-canary"])
        let printed = try #require(result.effective).print()
        #expect(printed.contains("client_secret: \"\(Secret.redaction)\""))
        #expect(printed.contains("cache: 5s"))
        #expect(!printed.contains("hush-canary"))
    }
}
