import Demo
import Tenants
import Testing
import Verification

@testable import gatehouse

struct DemoGuideTests {
    private func guide() throws -> DemoGuide {
        try DemoGuide(
            gateway: HostPort(host: "127.0.0.1", port: 8080),
            admin: HostPort(host: "127.0.0.1", port: 9901),
            adminToken: "adm"
        ) { app, role in "h.\(app.rawValue)-\(role ?? "own").sig" }
    }

    @Test func everyTenantHasALineThatPassesAndOneWithoutAToken() throws {
        let lines = try #require(try guide().json.object?["lines"]?.array)
        for tenant in ["customer", "driver", "finance", "chat", "clans"] {
            let statuses = lines.filter { $0.object?["tenant"] == .string(tenant) }.map { $0.object?["status"] }
            #expect(statuses.contains(200))
            #expect(statuses.contains(401))
        }
    }

    @Test func everyLineIsInTheTextWithItsStatusAbove() throws {
        let guide = try guide()
        for line in try #require(guide.json.object?["lines"]?.array) {
            let status = try #require(line.object?["status"]?.double)
            let title = try #require(line.object?["title"]?.string)
            let command = try #require(line.object?["command"]?.string)
            #expect(guide.text.contains("\n# \(Int(status)) \(title)\n\(command)\n"))
        }
    }

    @Test func argumentsAreQuotedForAShell() {
        let line = DemoLine(200, "", ["http://a.localtest:1/x?y=1", "it's", "plain-1.2", ""])
        #expect(line.command == "curl -sS 'http://a.localtest:1/x?y=1' 'it'\\''s' plain-1.2 ''")
    }
}
