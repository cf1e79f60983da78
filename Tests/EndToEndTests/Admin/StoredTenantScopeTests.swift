import Tenants
import TestSupport
import Testing
import Verification

/// What a token that may write some tenants cannot take by their texts.
@Suite struct StoredTenantScopeTests {
    private static let setup = GatewaySetup(
        gateway: """
            tenants: [files, store]
            admin:
                address: "127.0.0.1:0"
                tokens:
                  - { name: team, token: the-token-of-the-team, allow: ["tenants:evil*"] }
                  - { name: all, token: the-token-of-the-operator, allow: [all] }
            """,
        sealingKeys: StoredTenantsTests.sealingKeys
    )
    private static let team = "Authorization: Bearer the-token-of-the-team"
    private static let all = "Authorization: Bearer the-token-of-the-operator"

    private func text(_ fixture: GatewayFixture, _ host: String = "evil.test") -> String {
        StoredTenantsTests.text(host, "http://127.0.0.1:\(fixture.backend.port)")
    }

    /// Writes over whatever is there.
    private func put(
        _ fixture: GatewayFixture,
        _ name: String,
        _ text: String,
        by token: String
    ) async throws -> RawResponse {
        let condition = try await condition(fixture, name)
        return try await fixture.adminRequest(
            "PUT",
            "/api/tenants/\(name)",
            body: text,
            type: "application/yaml",
            fields: [condition, token]
        )
    }

    private func rollBack(
        _ fixture: GatewayFixture,
        _ name: String,
        to number: Int,
        by token: String
    ) async throws -> RawResponse {
        let condition = try await condition(fixture, name)
        return try await fixture.adminRequest(
            "POST",
            "/api/tenants/\(name)/rollback",
            body: "{\"version\":\(number)}",
            fields: [condition, token]
        )
    }

    private func condition(_ fixture: GatewayFixture, _ name: String) async throws -> String {
        let present = try await fixture.admin("/api/tenants/\(name)", fields: [Self.all])
        return present.fields["ETag"].first.map { "If-Match: \($0)" } ?? "If-None-Match: *"
    }

    private func isRefused(_ response: RawResponse, _ part: String) -> Bool {
        response.status == 400 && AdminProblemDocument(response)?.code == "tenant_refused"
            && response.body.text.contains(part)
    }

    @Test func fileStaysAtItsKeyAndGoneWhereItWasTakenOut() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let path = try scratch.write(TestIssuer.shared().jwks, to: "keys.json")
        try await withGateway(Self.setup) { fixture async throws in
            let plain = text(fixture)
            let named = plain.replacing(
                "algorithms: [HS256], secret: \"a-secret-of-the-tenant-0123456789\"",
                with: "algorithms: [RS256], jwks_file: \"\(path)\""
            )
            #expect(named.contains(path))
            #expect(try await put(fixture, "evil", named, by: Self.all).status == 201)
            let shown = try await put(fixture, "evil", named + "refusals: { html: \"\(path)\" }\n", by: Self.team)
            #expect(isRefused(shown, "stays at its key"), "\(shown.body.text)")
            let changed = try await put(fixture, "evil", named + "strip_prefix: false\n", by: Self.team)
            #expect(changed.status == 200, "\(changed.body.text)")
            #expect(try await put(fixture, "evil", plain, by: Self.all).status == 200)
            let back = try await rollBack(fixture, "evil", to: 1, by: Self.team)
            #expect(isRefused(back, "may name files of the gateway"), "\(back.body.text)")
            #expect(try await rollBack(fixture, "evil", to: 3, by: Self.team).status == 200)
            #expect(try await rollBack(fixture, "evil", to: 1, by: Self.all).status == 200)
        }
    }

    @Test func templateWithASecretIsExtendedByWhoMayDoAll() async throws {
        var setup = Self.setup
        setup.root = """
            templates:
              base: { introspection: { url: "https://id.test/i", client_id: c, client_secret: "${TEST_SECRET}" } }

            """
        try await withGateway(setup) { fixture async throws in
            let extending = text(fixture) + "extends: base\n"
            let steal = extending + "introspection: { url: \"http://127.0.0.1:\(fixture.other.port)/steal\" }\n"
            for text in [extending, steal] {
                let response = try await put(fixture, "evil", text, by: Self.team)
                #expect(isRefused(response, "which only a token that may do all may use"), "\(response.body.text)")
            }
            #expect(try await put(fixture, "evil", extending, by: Self.all).status == 201)
            let changed = try await put(fixture, "evil", steal, by: Self.team)
            #expect(isRefused(changed, "introspection.client_secret"), "\(changed.body.text)")
        }
    }

    /// The realm was free when the tenant was written.
    @Test func realmIsTheFilesTenantsThatComesLater() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let named = try await put(fixture, "evil", text(fixture) + "realm: bank\n", by: Self.team)
            #expect(
                isRefused(named, "takes only names like those of its tenants (evil*) for realms"),
                "\(named.body.text)"
            )
            let squatting = text(fixture) + "realm: evil-bank\n"
            #expect(try await put(fixture, "evil", squatting, by: Self.team).status == 201)
            try await until("the tenant is served") {
                try await fixture.request("/x", host: "evil.test").status == 200
            }
            var setup = Self.setup
            setup.others = """
                bank:
                  hosts: [bank.test]
                  realm: evil-bank
                  backend: { servers: ["{other}"] }
                  authenticate: { issuers: [{ issuer: i, audiences: [a], algorithms: [HS256], secret: "${TEST_SECRET}" }] }
                """
            await fixture.change(setup)
            #expect(try await fixture.request("/x", host: "evil.test").status == 404)
            #expect(try await fixture.request("/x", host: "bank.test").status == 401)
            let evil = try await fixture.admin("/api/tenants/evil", fields: [Self.all])
            #expect(
                evil.body.text.contains("the accounts of this realm are tenant \\\"bank\\\"'s too"),
                "\(evil.body.text)"
            )
            let again = try await put(fixture, "evil", squatting, by: Self.team)
            #expect(again.status != 200)
            // Who may do all vouches for it.
            #expect(try await put(fixture, "evil", squatting, by: Self.all).status == 200)
            try await until("the tenant is served again") {
                try await fixture.request("/x", host: "evil.test").status == 200
            }
        }
    }
}
