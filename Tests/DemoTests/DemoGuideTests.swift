import Demo
import Logging
import Synchronization
import Tenants
import Testing
import Verification

@testable import GatehouseDemo

struct DemoGuideTests {
    private let standIn: ProviderStandIn

    init() throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        standIn = ProviderStandIn(keys: try StandInUnderTest.keys.get(), logger: logger, now: { noon })
    }

    /// Each sign-in has a number, so that what is used twice shows.
    private func guide() async throws -> DemoGuide {
        let signIns = Atomic(0)
        return try await DemoGuide(
            gateway: HostPort(host: "127.0.0.1", port: 8080),
            admin: HostPort(host: "127.0.0.1", port: 9901),
            adminToken: "adm",
            providers: DemoProviders(standIn: standIn)
        ) { app, role, expiredFor in
            let number = signIns.add(1, ordering: .relaxed).newValue
            return SampleSession(
                accessToken: "h.\(app.rawValue)-\(role ?? "own")-\(expiredFor ?? 0)-\(number).sig",
                refreshToken: "refresh-\(number)."
            )
        }
    }

    private func lines() async throws -> [JSONObject] {
        try #require(try await guide().json.object?["lines"]?.array).compactMap(\.object)
    }

    @Test func everyTenantHasPassingAndTokenlessLine() async throws {
        let lines = try await lines()
        for tenant in ["customer", "driver", "finance", "chat", "clans"] {
            let statuses = lines.filter { $0["tenant"] == .string(tenant) }.map { $0["status"] }
            #expect(statuses.contains(200))
            #expect(statuses.contains(401))
        }
    }

    @Test func everyTenantThatRefreshesShowsNewTokens() async throws {
        let lines = try await lines()
        for (tenant, field) in [
            ("customer", "x-refreshed-token: "), ("driver", "x-refreshed-token: "), ("clans", "x-refreshed-token: "),
            ("chat", "set-cookie: ce_access_token=ey"), ("chat", "set-cookie: ce_refresh_token="),
        ] {
            let shown = lines.filter { line in
                line["tenant"] == .string(tenant) && line["status"] == 200
                    && line["fields"]?.array?.contains(.string(field)) == true
            }
            #expect(!shown.isEmpty, "\(tenant) \(field)")
        }
    }

    /// A refresh ends the token that it is for: who shares it with a later line spoils that one.
    @Test func refreshedSessionsAreNotShared() async throws {
        let commands = try await lines().compactMap { $0["command"]?.string }
        let stale = commands.enumerated().filter { $0.element.contains("/sample/stale") }
        #expect(stale.count == 5)
        for (index, command) in stale {
            let token = try #require(command.firstMatch(of: /h\.[a-z]+-own-0-[0-9]+\.sig/)).output
            let users = commands.indices.filter { commands[$0].contains(token) }
            #expect(users == [index, index + 1])
        }
        for command in commands where command.contains("fail=401") && command.contains(" -i ") {
            let token = try #require(command.firstMatch(of: /h\.[a-z]+-own-0-[0-9]+\.sig/)).output
            #expect(commands.filter { $0.contains(token) }.count == 1)
        }
    }

    /// Apple's tokens work once.
    @Test func noTwoLinesShareIdentityToken() async throws {
        let commands = try await lines().compactMap { $0["command"]?.string }
        let tokens = commands.compactMap { $0.firstMatch(of: /"identity_token":"([^"]+)"/).map { String($0.output.1) } }
        #expect(tokens.count >= 6)
        #expect(Set(tokens).count == tokens.count)
    }

    @Test func roleConflictIsShown() async throws {
        let statuses = try await lines().filter { $0["tenant"] == "driver" }.map { $0["status"] }
        #expect(statuses.contains(409))
    }

    @Test func everyLineIsInTextWithItsStatusAbove() async throws {
        let guide = try await guide()
        for line in try #require(guide.json.object?["lines"]?.array) {
            let status = try #require(line.object?["status"]?.double)
            let title = try #require(line.object?["title"]?.string)
            let command = try #require(line.object?["command"]?.string)
            #expect(guide.text.contains("\n# \(Int(status)) \(title)\n\(command)\n"))
        }
    }

    @Test func argumentsAreQuotedForShell() {
        let line = DemoLine(200, "", ["http://a.localtest:1/x?y=1", "it's", "plain-1.2", ""])
        #expect(line.command == "curl -sS 'http://a.localtest:1/x?y=1' 'it'\\''s' plain-1.2 ''")
    }
}
