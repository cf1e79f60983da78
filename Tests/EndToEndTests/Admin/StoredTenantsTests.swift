import Foundation
import Tenants
import TestSupport
import Testing
import Verification

/// Tenants that the admin API writes to the store.
@Suite struct StoredTenantsTests {
    static let sealingKeys = Data(repeating: 7, count: 32).base64EncodedString()
    private static let setup = GatewaySetup(gateway: "tenants: [files, store]", sealingKeys: sealingKeys)

    /// The keys of a tenant whose paths are all open.
    static func text(_ host: String, _ backend: String, secret: String = "a-secret-of-the-tenant-0123456789") -> String
    {
        """
        hosts: [\(host)]
        backend: { servers: ["\(backend)"] }
        authenticate: { issuers: [{ issuer: "https://i.test", audiences: [a], algorithms: [HS256], secret: "\(secret)" }] }
        access: [{ path: /**, allow: anyone }]

        """
    }

    private func backend(_ fixture: GatewayFixture) -> String { "http://127.0.0.1:\(fixture.backend.port)" }

    private func put(
        _ fixture: GatewayFixture,
        _ name: String,
        _ text: String,
        _ condition: String = "If-None-Match: *",
        type: String? = "application/yaml",
        fields: [String] = []
    ) async throws -> RawResponse {
        try await fixture.adminRequest(
            "PUT",
            "/api/tenants/\(name)",
            body: text,
            type: type,
            fields: (condition.isEmpty ? [] : [condition]) + fields
        )
    }

    private func object(_ response: RawResponse) throws -> JSONObject {
        guard let object = try JSONParser.parse(response.body.bytes).object else { throw Malformed(response.body.text) }
        return object
    }

    private func served(_ fixture: GatewayFixture, _ host: String) async throws -> Bool {
        try await fixture.request("/x", host: host).status == 200
    }

    @Test func storedTenantIsServedUntilItIsDeleted() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            #expect(try await !served(fixture, "shop.test"))
            let created = try await put(fixture, "shop", Self.text("shop.test", backend(fixture)))
            #expect(created.status == 201, "\(created.body.text)")
            let tag = try #require(created.fields["ETag"].first)
            #expect(try object(created)["version"] == 1)
            #expect(try object(created)["by"] == "loopback")
            try await until("the tenant is served") { try await served(fixture, "shop.test") }

            let moved = try await put(fixture, "shop", Self.text("moved.test", backend(fixture)), "If-Match: \(tag)")
            #expect(moved.status == 200)
            try await until("the change is in force") { try await served(fixture, "moved.test") }
            #expect(try await !served(fixture, "shop.test"))

            let next = try #require(moved.fields["ETag"].first)
            let deleted = try await fixture.adminRequest("DELETE", "/api/tenants/shop", fields: ["If-Match: \(next)"])
            #expect(deleted.status == 200)
            #expect(try object(deleted)["action"] == "delete")
            try await until("it is gone") { try await !served(fixture, "moved.test") }
            #expect(AdminProblemDocument(try await fixture.admin("/api/tenants/shop"))?.code == "unknown_tenant")
            #expect(fixture.audit("tenant stored").count == 2)
            let line = try #require(fixture.audit("tenant deleted").first)
            for part in ["\"tenant\": shop", "\"by\": loopback", "\"version\": 3", "\"result\": done"] {
                #expect(line.contains(part), "\(part) in \(line)")
            }
        }
    }

    @Test func secretIsSealedHiddenAndKept() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let secret = fixture.keepSecret("a-secret-that-is-never-given-back-012345")
            let created = try await put(fixture, "shop", Self.text("shop.test", backend(fixture), secret: secret))
            let tag = try #require(created.fields["ETag"].first)
            let yaml = try await fixture.admin("/api/tenants/shop", fields: ["Accept: application/yaml"])
            #expect(yaml.fields["Content-Type"] == ["application/yaml"] && yaml.fields["ETag"] == [tag])
            #expect(yaml.fields["X-Tenant-Source"] == ["store"])
            let shown = Self.text("shop.test", backend(fixture), secret: "<secret>")
            #expect(yaml.body.text == shown)
            let json = try object(try await fixture.admin("/api/tenants/shop"))
            #expect(json["yaml"]?.string == shown && json["etag"]?.string == tag && json["source"] == "store")
            #expect(json["tenant"]?.object?["hosts"] == ["shop.test"])

            // What was shown is written again: the token of the kept secret is still good.
            let changed = shown.replacing("access: [{ path: /**, allow: anyone }]\n", with: "")
            #expect(try await put(fixture, "shop", changed, "If-Match: \(tag)").status == 200)
            try await until("the change is in force") {
                try await fixture.request("/x", host: "shop.test").status == 401
            }
            let token = try fixture.token(
                ["iss": "https://i.test", "aud": "a"],
                key: SigningKey(secret: Array(secret.utf8))
            )
            #expect(try await fixture.request("/x", host: "shop.test", token: token).status == 200)
            #expect(!fixture.log.text.contains(secret))
        }
    }

    @Test func everyMistakeIsReportedAndNothingStored() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let text = "hosts: [shop.test]\nbackend: { server: [x] }\nauthenticate: { from: [baerer] }\nlimits: 3\n"
            let response = try await put(fixture, "shop", text)
            #expect(response.status == 400)
            #expect(AdminProblemDocument(response)?.code == "tenant_refused")
            let mistakes = try object(response)["mistakes"]?.array?.compactMap(\.object) ?? []
            let places = mistakes.map { [$0["line"]?.double ?? 0, $0["column"]?.double ?? 0] }
            #expect(places.contains([2, 12]) && places.contains([3, 24]) && places.contains([4, 9]), "\(mistakes)")
            #expect(mistakes.contains { $0["message"]?.string?.contains("did you mean \"servers\"?") == true })
            #expect(try await fixture.admin("/api/tenants/shop").status == 404)

            let broken = try await put(fixture, "shop", "hosts: [")
            #expect(AdminProblemDocument(broken)?.code == "tenant_refused")
            let empty = try await put(fixture, "shop", "")
            #expect(AdminProblemDocument(empty)?.code == "tenant_refused")
            let unknown = try await put(fixture, "shop", Self.text("shop.test", backend(fixture), secret: "<secret>"))
            #expect(AdminProblemDocument(unknown)?.code == "tenant_refused")
        }
    }

    @Test func writeNamesTheVersionItExpects() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let text = Self.text("shop.test", backend(fixture))
            func code(_ condition: String) async throws -> String? {
                AdminProblemDocument(try await put(fixture, "shop", text, condition))?.code
            }
            #expect(try await code("") == "precondition_required")
            #expect(try await code("If-Match: \"1-a\"") == "version_changed")
            #expect(try await code("If-Match: W/\"1-a\"") == "bad_request")
            let tag = try #require(try await put(fixture, "shop", text).fields["ETag"].first)
            #expect(try await code("If-None-Match: *") == "version_changed")
            #expect(try await code("If-None-Match: \(tag)") == "bad_request")
            #expect(try await put(fixture, "shop", text, "If-Match: \(tag)").status == 200)
            let stale = try await put(fixture, "shop", text, "If-Match: \(tag)")
            #expect(stale.status == 412)
            let now = try await fixture.admin("/api/tenants/shop").fields["ETag"].first
            #expect(try object(stale)["etag"]?.string == now)
        }
    }

    @Test func hostOrNameOfAnotherIsAConflict() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            #expect(try await put(fixture, "shop", Self.text("shop.test", backend(fixture))).status == 201)
            for (host, owner) in [("shop.test", "shop"), ("app.test", "app")] {
                let response = try await put(fixture, "other", Self.text(host, backend(fixture)))
                #expect(response.status == 409, "\(response.body.text)")
                #expect(AdminProblemDocument(response)?.code == "host_taken")
                #expect(try object(response)["tenant"]?.string == owner)
            }
            let inFile = try await put(fixture, "app", Self.text("new.test", backend(fixture)))
            #expect(AdminProblemDocument(inFile)?.code == "tenant_in_file")
            let file = try await fixture.admin("/api/tenants/app")
            #expect(file.fields["X-Tenant-Source"] == ["file"] && file.fields["ETag"] == [])
            #expect(try object(file)["tenant"]?.object?["hosts"] == ["app.test"])
            #expect(!file.body.text.contains(TestIssuer.secret))
        }
    }

    @Test func contradictionWithAnotherStoredTenantIsRefused() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            func text(_ name: String, _ issuer: String) -> String {
                Self.text("\(name).test", backend(fixture)) + """
                    realm: people
                    sign_in: { apple: { path: /a, client_ids: [c], then: forward, issuer: "\(issuer)" } }

                    """

            }
            // By its name the one that is in force would be the later one.
            let first = try await put(fixture, "shop", text("shop", "https://appleid.apple.com"))
            #expect(first.status == 201, "\(first.body.text)")
            try await until("it is served") { try await served(fixture, "shop.test") }
            let other = try await put(fixture, "bakery", text("bakery", "https://apple.test"))
            #expect(other.status == 400 && AdminProblemDocument(other)?.code == "tenant_refused")
            let message = try object(other)["mistakes"]?.array?.first?.object?["message"]?.string
            #expect(
                message?.contains("tenant \"shop\" has this realm too (store:shop:6)") == true,
                "\(other.body.text)"
            )
            #expect(try object(other)["mistakes"]?.array?.first?.object?["line"] == 6)
            #expect(try await put(fixture, "bakery", text("bakery", "https://appleid.apple.com")).status == 201)
            // A tenant is not compared with what it was.
            let tag = try #require(try await fixture.admin("/api/tenants/bakery").fields["ETag"].first)
            let changed = try await put(
                fixture,
                "bakery",
                text("bread", "https://appleid.apple.com"),
                "If-Match: \(tag)"
            )
            #expect(changed.status == 200, "\(changed.body.text)")
        }
    }

    @Test func rollbackMakesAnOldTextANewVersion() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let first = try await put(fixture, "shop", Self.text("one.test", backend(fixture)))
            var tag = try #require(first.fields["ETag"].first)
            tag = try #require(
                try await put(fixture, "shop", Self.text("two.test", backend(fixture)), "If-Match: \(tag)").fields[
                    "ETag"
                ].first
            )
            let back = try await fixture.adminRequest(
                "POST",
                "/api/tenants/shop/rollback",
                body: #"{"version":1}"#,
                fields: ["If-Match: \(tag)"]
            )
            #expect(back.status == 200, "\(back.body.text)")
            try await until("the old text is in force") { try await served(fixture, "one.test") }
            let list = try object(try await fixture.admin("/api/tenants/shop/versions"))["versions"]?.array ?? []
            let versions = list.compactMap(\.object)
            #expect(versions.map { $0["version"]?.double } == [3, 2, 1])
            #expect(versions.map { $0["action"]?.string } == ["rollback", "put", "put"])
            #expect(versions.first?["to"] == 1)
            let old = try object(try await fixture.admin("/api/tenants/shop/versions/2"))
            #expect(old["yaml"]?.string?.contains("two.test") == true)
            #expect(old["yaml"]?.string?.contains("a-secret") == false)
            #expect(try await fixture.admin("/api/tenants/shop/versions/9").status == 404)
        }
    }

    @Test func jsonIsATenantToo() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let body = """
                {"hosts":["shop.test"],"backend":{"servers":["\(backend(fixture))"]},"access":[{"path":"/**","allow":"anyone"}],
                "authenticate":{"issuers":[{"issuer":"https://i.test","audiences":["a"],"algorithms":["HS256"],
                "secret":"a-secret-of-the-tenant-0123456789"}]}}
                """
            #expect(try await put(fixture, "shop", body, type: "application/json").status == 201)
            try await until("it is served") { try await served(fixture, "shop.test") }
            let twice = try await put(fixture, "a", #"{"hosts":[],"hosts":[]}"#, type: "application/json")
            #expect(AdminProblemDocument(twice)?.code == "bad_request")
            let text = try await put(fixture, "a", "hosts: []", type: "text/plain")
            #expect(AdminProblemDocument(text)?.code == "unsupported_media_type")
            let long = try await put(fixture, "a", String(repeating: "#", count: (1 << 20) + 1))
            #expect(AdminProblemDocument(long)?.code == "payload_too_large")
        }
    }

    @Test func tenantTakesNothingOfTheGateway() async throws {
        var setup = Self.setup
        setup.gateway = """
            tenants: [files, store]
            admin:
                address: "127.0.0.1:0"
                tokens:
                  - { name: team, token: the-token-of-the-team, allow: ["tenants:shop-*"] }
                  - { name: all, token: the-token-of-the-operator, allow: [all] }
            """
        try await withGateway(setup) { fixture async throws in
            let team = ["Authorization: Bearer the-token-of-the-team"]
            let all = ["Authorization: Bearer the-token-of-the-operator"]
            let text = Self.text("shop.test", backend(fixture))
            let reference = text + "headers: { request: { set: { X-Key: \"${TEST_SECRET}\" } } }\n"
            for fields in [team, all] {
                let response = try await put(fixture, "shop-1", reference, fields: fields)
                #expect(response.status == 400 && response.body.text.contains("takes nothing from the environment"))
            }
            let file = text.replacing(
                "secret: \"a-secret-of-the-tenant-0123456789\"",
                with: "jwks_file: /etc/gatehouse/other.json"
            )
            let response = try await put(fixture, "shop-1", file, fields: team)
            #expect(response.status == 400 && response.body.text.contains("may name files of the gateway"))
            // A path of a host whose tenant the token may not write.
            let below = Self.text("app.test", backend(fixture)) + "path_prefix: /login\n"
            let taken = try await put(fixture, "shop-1", below, fields: team)
            #expect(taken.status == 409 && AdminProblemDocument(taken)?.code == "host_taken")
            // Only names that match.
            #expect(try await put(fixture, "shop-1", text, fields: team).status == 201)
            #expect(try await put(fixture, "clan", text, fields: team).status == 403)
            #expect(try await fixture.admin("/api/tenants/clan", fields: team).status == 403)
            #expect(try await fixture.admin("/api/tenants/shop-1", fields: team).status == 200)
            try await until("the tenant is listed") {
                let list = try await fixture.admin("/api/tenants", fields: team)
                let names = try object(list)["tenants"]?.array?.compactMap { $0.object?["name"]?.string }
                return names == ["shop-1"]
            }
        }
    }

    @Test func fileWinsOverTheStoreForOneNameAndOneHost() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            for (name, host) in [("shop", "shop.test"), ("clan", "clan.test")] {
                #expect(try await put(fixture, name, Self.text(host, backend(fixture))).status == 201)
                try await until("it is served") { try await served(fixture, host) }
            }
            // The file gets the name of the one, and the host of the other.
            var setup = Self.setup
            setup.others = """
                shop:
                  hosts: [clan.test]
                  backend: { servers: ["{other}"] }
                  authenticate: { issuers: [{ issuer: i, audiences: [a], algorithms: [HS256], secret: "${TEST_SECRET}" }] }
                """
            await fixture.change(setup)
            #expect(try await fixture.request("/x", host: "clan.test").status == 401)
            #expect(try await fixture.request("/x", host: "shop.test").status == 404)
            #expect(try await fixture.admin("/api/tenants/shop").fields["X-Tenant-Source"] == ["file"])
            let clan = try object(try await fixture.admin("/api/tenants/clan"))
            #expect(clan["source"] == "store")
            let message = clan["mistakes"]?.array?.first?.object?["message"]?.string
            #expect(message?.contains("\"clan.test\" is tenant \"shop\"'s already") == true, "\(clan)")
            let list = try object(try await fixture.admin("/api/tenants"))
            #expect(list["faulty"]?.array?.first?.object?["name"] == "clan")
            #expect(fixture.log.text.contains("a tenant of the store has mistakes, and is not in force"))
            // Taken out of the file, both are the store's again.
            await fixture.change(Self.setup)
            for host in ["shop.test", "clan.test"] { #expect(try await served(fixture, host)) }
        }
    }

    @Test func tenantsAreListedInPages() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            for name in ["b", "c", "a"] {
                #expect(try await put(fixture, name, Self.text("\(name).test", backend(fixture))).status == 201)
            }
            try await until("all are in force") {
                try object(try await fixture.admin("/api/tenants"))["tenants"]?.array?.count == 4
            }
            var names: [String] = []
            var cursor = ""
            repeat {
                let page = try object(try await fixture.admin("/api/tenants?limit=3&cursor=\(cursor)"))
                names += page["tenants"]?.array?.compactMap { $0.object?["name"]?.string } ?? []
                cursor = page["next"]?.string ?? ""
            } while !cursor.isEmpty
            #expect(names == ["a", "app", "b", "c"])
            #expect(try await fixture.admin("/api/tenants?limit=0").status == 400)
        }
    }

    @Test func withoutStoreOrKeyTheProblemHasTheRemedy() async throws {
        try await withGateway { fixture async throws in
            let response = try await put(fixture, "shop", Self.text("shop.test", backend(fixture)))
            #expect(AdminProblemDocument(response)?.code == "tenants_not_stored")
            #expect(AdminProblemDocument(response)?.detail.contains("[files, store]") == true)
        }
        try await withGateway(GatewaySetup(gateway: "tenants: [files, store]")) { fixture async throws in
            let response = try await put(fixture, "shop", Self.text("shop.test", backend(fixture)))
            #expect(AdminProblemDocument(response)?.code == "no_sealing_key")
            #expect(AdminProblemDocument(response)?.detail.contains("GATEHOUSE_KEY") == true)
        }
    }
}
