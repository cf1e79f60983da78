import Testing

@testable import Tenants

/// Templates with secrets, files or variables, which only a token that may do all gives to a tenant of the store.
struct GuardedTemplateTests {
    private static let limited = TenantWriter([.read] + (TenantNamePattern("evil*").map { [.tenants($0)] } ?? []))

    private static func main(_ template: String) -> String {
        """
        version: 1
        templates:
          below: { \(template) }
          base: { extends: below, mode: enforce }
          plain:
            backend: { servers: ["http://127.0.0.1:9001"] }
            authenticate: { issuers: [{ issuer: "https://i.test", audiences: [a], algorithms: [RS256], jwks_url: "https://i.test/k" }] }

        """
    }

    private static func read(_ template: String, _ tenant: String, by writer: TenantWriter = limited) -> ReadResult {
        let further = FurtherTenants(
            [TenantSource(name: "evil", text: tenant, writer: writer)],
            faults: .leaveOut
        )
        return TenantsFile.read(
            text: Array(main(template).utf8),
            path: "t.yaml",
            environment: ["TPL_SECRET": "0123456789abcdef"],
            files: PretendFiles(["corp.pem": ""]),
            further: further
        )
    }

    private static func faults(_ result: ReadResult) -> [String] {
        result.leftOut.flatMap(\.diagnostics).map(\.message).filter { $0.hasPrefix("template \"base\" has ") }
    }

    @Test(arguments: [
        (
            "introspection: { url: \"https://i.test/\", client_id: c, client_secret: \"${TPL_SECRET}\" }",
            "a variable of the environment in \"introspection.client_secret\""
        ),
        (
            "introspection: { url: \"https://i.test/\", client_id: c, client_secret: s3cret }",
            "a secret in \"introspection.client_secret\""
        ),
        (
            "introspection: { url: \"https://u:p@i.test/\", client_id: c }", "a secret in \"introspection.url\""
        ),
        (
            "issuer: { url: \"https://corp.test\", audience: a, algorithm: ES256, key_file: corp.pem }",
            "a file in \"issuer.key_file\""
        ),
        ("headers: { request: { set: { X-Key: k3y } } }", "a secret in \"headers.request.set.X-Key\""),
        ("role: \"${TPL_SECRET}\"", "a variable of the environment in \"role\""),
        (
            "authenticate: { issuers: [{ issuer: i, audiences: [a], algorithms: [RS256], jwks_file: k.json }] }",
            "a file in \"authenticate.issuers[0].jwks_file\""
        ),
    ])
    func guardedTemplateIsForTokensThatMayDoAll(_ template: String, _ what: String) {
        let tenant = "extends: base\nhosts: [evil.test]\nintrospection: { url: \"http://steal.test/\" }\n"
        let result = Self.read(template, tenant)
        #expect(
            Self.faults(result) == [
                "template \"base\" has \(what) (t.yaml:3), which only a token that may do all may use: have it write "
                    + "this tenant, or move that key out of the template"
            ]
        )
        #expect(result.leftOut.first?.diagnostics.first { $0.message.contains("move that key") }?.line == 1)
        #expect(result.configuration?.tenants.isEmpty == true)
        #expect(Self.faults(Self.read(template, tenant, by: .all)) == [])
    }

    /// What a tenant replaces or takes away is the template's all the same.
    @Test func tenantThatReplacesTheGuardedKeyIsRefusedToo() {
        let template = "headers: { request: { set: { X-Key: k3y } } }"
        #expect(Self.faults(Self.read(template, "{ extends: base, hosts: [a.test], headers: null }")).count == 1)
    }

    @Test func templateWithoutSecretsIsForAll() {
        let result = Self.read("mode: enforce", "{ extends: plain, hosts: [evil.test] }")
        #expect(result.leftOut == [])
        #expect(result.configuration?.tenants.map(\.name) == ["evil"])
        // A default of a variable that is not set is no secret.
        #expect(Self.faults(Self.read("role: \"${NONE:-x}\"", "{ extends: base, hosts: [a.test] }")) == [])
    }

    /// The same text by another writer is read anew, and a template that gets a secret takes the tenant out of force.
    @Test func knownTenantIsReadAgainForAnotherWriter() {
        let known = KnownTenants()
        func read(_ template: String, by writer: TenantWriter) -> ReadResult {
            let text =
                "{ extends: base, hosts: [evil.test], backend: { servers: [\"http://127.0.0.1:9001\"] }, \(Self.own) }"
            var further = FurtherTenants([TenantSource(name: "evil", text: text, writer: writer)], faults: .leaveOut)
            further.known = known
            further.isKept = true
            return TenantsFile.read(
                text: Array(Self.main(template).utf8),
                path: "t.yaml",
                environment: [:],
                files: PretendFiles(),
                further: further
            )
        }
        let guarded = "headers: { request: { set: { X-Key: k3y } } }"
        #expect(read(guarded, by: .all).leftOut == [])
        #expect(Self.faults(read(guarded, by: Self.limited)).count == 1)
        #expect(read("mode: enforce", by: Self.limited).leftOut == [])
        #expect(Self.faults(read(guarded, by: Self.limited)).count == 1)
    }

    private static let own =
        "authenticate: { issuers: [{ issuer: \"https://i.test\", audiences: [a], algorithms: [RS256], jwks_url: \"https://i.test/k\" }] }"
}
