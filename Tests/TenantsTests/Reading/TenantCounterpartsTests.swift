import Testing

@testable import Tenants

/// Which tenants one is compared with.
struct TenantCounterpartsTests {
    private static func tenants(_ texts: [(name: String, keys: String)]) throws -> [Tenant] {
        var text = "version: 1\ntenants:\n"
        for tenant in texts {
            text += "  \(tenant.name):\n"
            for line in tenant.keys.split(separator: "\n") { text += "    \(line)\n" }
            text += "    backend: { servers: [http://127.0.0.1:9001] }\n"
            text += "    authenticate: { issuers: [\(Sample.issuer)] }\n"
        }
        return try #require(Sample.read(text).configuration).tenants
    }

    private static func counterparts(_ texts: [(name: String, keys: String)]) throws -> [String] {
        let tenants = try tenants(texts)
        return TenantCounterparts(tenants).of(try #require(tenants.last)).map(\.name)
    }

    @Test func tenantWithNothingInCommonHasNone() throws {
        #expect(try Self.counterparts([("a", "hosts: [a.test]"), ("b", "hosts: [b.test]\nrealm: r")]) == [])
    }

    @Test func firstOfEachHostIsOne() throws {
        let found = try Self.counterparts([
            ("a", "hosts: [a.test]"), ("b", "hosts: [x.test]\npath_prefix: /b"),
            ("c", "hosts: [x.test]\npath_prefix: /c"),
            ("d", "hosts: [y.test]"), ("e", "hosts: [x.test, y.test]\npath_prefix: /e"),
        ])
        #expect(found == ["b", "d"])
    }

    @Test func firstOfTheRealmAndFirstOfEachProviderAreOnes() throws {
        func google(_ name: String) -> (String, String) {
            (name, "hosts: [\(name).test]\nrealm: r\nsign_in: { google: { path: /a, client_ids: [c], then: forward } }")
        }
        let plain = ("plain", "hosts: [plain.test]\nrealm: r")
        #expect(try Self.counterparts([plain, google("one"), google("two"), google("last")]) == ["plain", "one"])
        #expect(try Self.counterparts([google("one"), google("two"), plain]) == ["one"])
    }

    @Test func issuersAreComparedByURLAndByKeys() throws {
        let found = try Self.counterparts([
            ("a", "hosts: [a.test]\nissuer: { url: 'https://i.test', audience: a, algorithm: ES256 }"),
            ("b", "hosts: [b.test]\nissuer: { url: 'https://j.test', audience: a, algorithm: ES256, keys_dir: k }"),
            ("c", "hosts: [c.test]\nissuer: { url: 'https://i.test', audience: c, algorithm: ES256, keys_dir: k }"),
        ])
        #expect(found == ["a", "b"])
    }
}
