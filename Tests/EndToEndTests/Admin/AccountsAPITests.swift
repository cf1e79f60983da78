import Demo
import TestSupport
import Testing
import Verification

/// Accounts over the admin listener, and by `gatehouse accounts`.
@Suite struct AccountsAPITests {
    private static let support = "the-token-of-those-who-revoke"
    private static let dashboard = "the-token-of-those-who-read"

    private static let setup = CompanySetup(
        gateway: """
            admin:
                address: "127.0.0.1:0"
                tokens:
                  - { name: support, token: \(support), allow: [revoke] }
                  - { name: dashboard, token: \(dashboard), allow: [read] }
            """
    )

    private func ask(
        _ fixture: GatewayFixture,
        _ method: String,
        _ path: String,
        token: String = Self.support
    ) async throws -> RawResponse {
        try await fixture.adminRequest(
            method,
            "/api/tenants/company/accounts/\(path)",
            fields: ["Authorization: Bearer \(token)"]
        )
    }

    private func run(_ fixture: GatewayFixture, _ arguments: String...) async throws -> GatehouseProgram.Output {
        let admin = "http://\(try #require(fixture.adminAddress))"
        return try await GatehouseProgram.run(
            ["accounts"] + arguments + ["--tenant", "company", "--admin", admin],
            environment: ["GATEHOUSE_ADMIN_TOKEN": Self.support]
        )
    }

    @Test func accountIsShownToThoseWhoReadOrRevoke() async throws {
        try await Self.setup.run { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            #expect(try await browser.signInAtCompany(at: standIn).status == 303)
            let subject = try #require(try await browser.get("/me").json?["user"]?.object?["sub"]?.string)
            for token in [Self.support, Self.dashboard] {
                let response = try await ask(fixture, "GET", subject, token: token)
                let account = try #require(response.json)
                #expect(response.status == 200 && account["subject"]?.string == subject)
                #expect(account["logins"]?.array?.first?.object?["provider"] == "company")
                #expect(account["passkeys"] == [])
                #expect(!response.body.text.contains("alice@"))
            }
            let shown = try await run(fixture, "show", "--subject=\(subject)")
            #expect(shown.exit == 0 && shown.output.hasPrefix("account \(subject), since "), "\(shown)")
            #expect(shown.output.contains("\nlogin company "))
            let removed = try await run(fixture, "remove-passkey", "--subject=\(subject)", "--all")
            #expect(removed.exit == 0, "\(removed)")
            #expect(removed.output == "nothing was removed: the account has no passkeys\n")
            let line = try #require(fixture.audit("passkeys removed").first)
            for part in ["\"by\": token support", "\"tenant\": company", "\"subject\": \(subject)", "\"count\": 0"] {
                #expect(line.contains(part), "\(part) in \(line)")
            }
        }
    }

    @Test func whatIsNotThereIsReportedAndAudited() async throws {
        try await Self.setup.run { fixture, _ async throws in
            func code(_ method: String, _ path: String, token: String = Self.support) async throws -> String? {
                AdminProblemDocument(try await ask(fixture, method, path, token: token))?.code
            }
            #expect(try await code("GET", "a%2Fb") == "unknown_account")
            #expect(try await code("DELETE", "a%2Fb/passkeys") == "unknown_account")
            #expect(try await code("DELETE", "a%2Fb/passkeys/AQID") == "unknown_passkey")
            #expect(try await code("DELETE", "a/passkeys", token: Self.dashboard) == "insufficient_scope")
            #expect(try await code("PUT", "a") == "method_not_allowed")
            let lines = fixture.audit("passkeys not removed")
            #expect(lines.count == 2)
            #expect(lines.allSatisfy { $0.contains("\"subject\": a/b") }, "\(lines)")
            let failed = try await run(fixture, "show", "--subject", "nobody")
            #expect(failed.exit == 1 && failed.errors.contains("nobody has this subject"), "\(failed)")
        }
    }
}
