import ConfigurationText
import Testing

@testable import Tenants

/// Which keys a reload has changed.
struct KeyChangesTests {
    private func document(_ text: String, _ environment: [String: String] = [:]) throws -> ConfigurationDocument {
        let result = Sample.read(text, environment: environment)
        return try #require(result.configuration?.document, "\(result.errors)")
    }

    /// `key: before → after`, with `+` and `-` for what was added and removed; `?` for a value that is not shown.
    private func changes(_ old: String, _ new: String, _ environment: [String: String] = [:]) throws -> [String] {
        let changes = KeyChanges(from: try document(old, environment), to: try document(new, environment))
        return changes.keys.map { change in
            switch change.kind {
            case .added: "+ \(change.key): \(change.after ?? "?")"
            case .removed: "- \(change.key): \(change.before ?? "?")"
            case .changed: "\(change.key): \(change.before ?? "?") → \(change.after ?? "?")"
            }
        }
    }

    private static func rules(_ rules: [String]) -> String {
        Sample.tenant(more: "access:\n" + rules.map { "  - \($0)\n" }.joined())
    }

    @Test func valuesBeforeAndAfterAreShown() throws {
        #expect(
            try changes(
                Sample.tenant(hosts: "[a.test]", more: "mode: enforce\nmax_staleness: 30s"),
                Sample.tenant(hosts: "[a.test, b.test]", more: "mode: observe\nlimits: { body_bytes: 2MiB }")
            ).sorted() == [
                "+ tenants.shop.limits: ?", "- tenants.shop.max_staleness: 30s",
                "tenants.shop.hosts: [a.test] → [a.test, b.test]", "tenants.shop.mode: enforce → observe",
            ]
        )
    }

    @Test func tenantsAreAddedAndRemovedAsWhole() throws {
        let one = Sample.tenant()
        let two = one.replacing("  shop:", with: "  other:").replacing("shop.test", with: "other.test")
        #expect(try changes(one, two) == ["+ tenants.other: ?", "- tenants.shop: ?"])
    }

    @Test func insertedRuleDoesNotChangeThoseAfterIt() throws {
        let (a, b, c) = (
            "{ path: /a, allow: anyone }", "{ path: /b, allow: { roles: [x] } }", "{ path: /c, allow: anyone }"
        )
        #expect(try changes(Self.rules([a, c]), Self.rules([a, b, c])) == ["+ tenants.shop.access[1]: ?"])
        #expect(try changes(Self.rules([a, b, c]), Self.rules([b, c])) == ["- tenants.shop.access[0]: ?"])
        #expect(
            try changes(Self.rules([a, b, c]), Self.rules([a, "{ path: /b, allow: { roles: [y, z] } }", c]))
                == ["tenants.shop.access[1].allow.roles: [x] → [y, z]"]
        )
        #expect(
            try changes(Self.rules([a, b]), Self.rules([c, "{ path: /d, allow: anyone }", b]))
                == ["- tenants.shop.access[0]: ?", "+ tenants.shop.access[0]: ?", "+ tenants.shop.access[1]: ?"]
        )
    }

    @Test func ruleWithOtherKindOfValueIsChanged() throws {
        #expect(
            try changes(
                Self.rules(["{ path: /a, allow: anyone }"]),
                Self.rules(["{ path: /a, allow: { roles: [x] } }"])
            ) == ["tenants.shop.access[0].allow: anyone → ?"]
        )
    }

    @Test func secretsAreNeverShown() throws {
        let other = String(Sample.secret.reversed())
        let secrets = try changes(Sample.tenant(), Sample.tenant().replacing(Sample.secret, with: other))
        #expect(secrets == ["tenants.shop.authenticate.issuers[0].secret: ? → ?"])
        let store = try changes(
            Sample.gateway("store: 'redis://u:p@h:1/0'"),
            Sample.gateway("store: 'redis://u:q@h:1/0'")
        )
        #expect(store == ["gateway.store: ? → ?"])
        let fields = try changes(
            Sample.tenant(more: "headers: { request: { set: { X-Key: one } } }"),
            Sample.tenant(more: "headers: { request: { set: { X-Key: two, X-Other: three } } }")
        )
        #expect(
            fields == [
                "tenants.shop.headers.request.set.X-Key: ? → ?", "+ tenants.shop.headers.request.set.X-Other: ?",
            ]
        )
    }

    @Test func valuesOfEnvironmentAreNotShown() throws {
        #expect(
            try changes(Sample.tenant(), Sample.tenant(hosts: "['${HOST}']"), ["HOST": "env.test"])
                == ["tenants.shop.hosts: [shop.test] → ?"]
        )
    }

    @Test func orderCommentsAndQuotesAreNoChange() throws {
        let text = Sample.tenant(more: "mode: observe\nmax_staleness: 30s")
        let other = Sample.tenant(more: "max_staleness: '30s'\n# A comment.\nmode: \"observe\"")
        #expect(try changes(text, other) == [])
    }

    @Test func longValuesAndManyChangesAreBounded() throws {
        let roles = (0..<100).map { "role-\($0)" }.joined(separator: ", ")
        let long = KeyChanges(
            from: try document(Self.rules(["{ path: /a, allow: { roles: [x] } }"])),
            to: try document(Self.rules(["{ path: /a, allow: { roles: [\(roles)] } }"]))
        )
        #expect(long.keys.first?.after?.count == 121)
        let many = KeyChanges(
            from: try document(Self.rules((0..<300).map { "{ path: /a\($0), allow: anyone }" })),
            to: try document(Self.rules((0..<300).map { "{ path: /b\($0), allow: anyone }" }))
        )
        #expect(many.keys.count == 200 && many.omitted == 100)
        #expect(
            many.keys[7] == KeyChange(key: "tenants.shop.access[7].path", kind: .changed, before: "/a7", after: "/b7")
        )
    }

    @Test func documentIsNotPrinted() throws {
        let document = try document(Sample.tenant())
        var dumped = ""
        dump(document, to: &dumped)
        for text in ["\(document)", String(reflecting: document), dumped] { #expect(!text.contains(Sample.secret)) }
    }

    @Test func configurationMadeOtherwiseHasNoKeys() throws {
        #expect(KeyChanges(from: nil, to: try document(Sample.tenant())) == KeyChanges())
    }
}
