import Tenants
import TestSupport
import Testing
import Verification

/// `gatehouse tenants` against a running gateway.
@Suite struct TenantsCommandTests {
    private static let token = "the-token-of-a-team-that-writes"

    private static let setup = GatewaySetup(
        gateway: """
            tenants: [files, store]
            admin:
                address: "127.0.0.1:0"
                tokens: [{ name: team, token: \(token), allow: [read, "tenants:shop*"] }]
            """,
        sealingKeys: StoredTenantsTests.sealingKeys
    )

    private func run(
        _ fixture: GatewayFixture,
        _ arguments: String...,
        input: String = ""
    ) async throws -> GatehouseProgram.Output {
        let admin = "http://\(try #require(fixture.adminAddress))"
        return try await GatehouseProgram.run(
            ["tenants"] + arguments + ["--admin", admin],
            environment: ["GATEHOUSE_ADMIN_TOKEN": Self.token],
            input: input
        )
    }

    private func text(_ fixture: GatewayFixture, _ host: String) -> String {
        StoredTenantsTests.text(host, "http://127.0.0.1:\(fixture.backend.port)")
    }

    @Test func tenantIsWrittenReadComparedRolledBackAndDeleted() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let first = text(fixture, "shop.test")
            let stored = try await run(fixture, "put", "shop", "-", input: first)
            #expect(stored.exit == 0 && stored.errors == "", "\(stored)")
            #expect(stored.output.hasPrefix("stored: tenant shop, version 1: "))
            #expect(stored.output.contains(", put, ") && stored.output.contains("by token team"))
            try await until("it is listed") {
                let list = try await run(fixture, "list")
                return list.output == "app file app.test\nshop store shop.test\n"
            }
            let shown = try await run(fixture, "get", "shop")
            let hidden = first.replacing("a-secret-of-the-tenant-0123456789", with: "<secret>")
            #expect(shown.exit == 0 && shown.output == hidden && shown.errors == "", "\(shown)")

            let same = try await run(fixture, "diff", "shop", "-", input: hidden)
            #expect(same.exit == 0 && same.output == "", "\(same)")
            let second = hidden.replacing("shop.test", with: "moved.test")
            let diff = try await run(fixture, "diff", "shop", "-", input: second)
            #expect(diff.exit == 1 && diff.errors == "", "\(diff)")
            #expect(diff.output.hasPrefix("-hosts: [shop.test]\n+hosts: [moved.test]\n backend:"))

            #expect(try await run(fixture, "put", "shop", "-", input: second).exit == 0)
            let versions = try await run(fixture, "versions", "shop")
            #expect(versions.output.split(separator: "\n").map { $0.prefix(10) } == ["version 2:", "version 1:"])
            let back = try await run(fixture, "rollback", "shop", "--to", "1")
            #expect(back.exit == 0 && back.output.hasPrefix("rolled back: tenant shop, version 3: "), "\(back)")
            #expect(try await run(fixture, "get", "shop", "--version", "2").output.contains("moved.test"))
            let deleted = try await run(fixture, "delete", "shop")
            #expect(deleted.exit == 0 && deleted.output.hasPrefix("deleted: tenant shop, version 4: "), "\(deleted)")
            #expect(try await run(fixture, "rollback", "shop", "--to", "3").exit == 0)
        }
    }

    @Test func whatCannotBeDoneIsSaid() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let mistakes = try await run(
                fixture,
                "put",
                "shop",
                "-",
                input: "hosts: [shop.test]\nbackend: { server: [x] }\n"
            )
            #expect(mistakes.exit == 1 && mistakes.output == "", "\(mistakes)")
            #expect(
                mistakes.errors.contains("standard input:2:12: unknown key \"server\": did you mean \"servers\"?\n")
            )
            #expect(mistakes.errors.contains("Error: nothing was stored; correct the mistakes and write it again\n"))

            let stored = text(fixture, "shop.test")
            #expect(try await run(fixture, "put", "shop", "-", input: stored).exit == 0)
            let stale = try await run(fixture, "put", "shop", "-", "--etag", "1-0000000000000000", input: stored)
            #expect(stale.exit == 1 && stale.errors.contains("there is another version by now"), "\(stale)")
            let scope = try await run(fixture, "put", "clan", "-", input: text(fixture, "clan.test"))
            #expect(scope.exit == 1 && scope.errors.contains("token team has read, tenants:shop*"), "\(scope)")
            let file = try await run(fixture, "delete", "app")
            #expect(file.exit == 1 && file.errors.contains("app is in tenants.yaml"), "\(file)")
            let none = try await run(fixture, "get", "shop-9")
            #expect(none.exit == 1 && none.errors.contains("there is no tenant shop-9"), "\(none)")
            let name = try await run(fixture, "get", "a/b")
            #expect(name.exit == 64 && name.errors.contains("a tenant's name has 1 to 63 letters"), "\(name)")
            let missing = try await run(fixture, "put", "shop", "/none/at/all.yaml")
            #expect(missing.exit == 1 && missing.errors.contains("/none/at/all.yaml cannot be read"), "\(missing)")
        }
    }
}
