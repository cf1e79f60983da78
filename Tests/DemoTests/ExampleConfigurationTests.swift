import Tenants
import Testing
import Verification

@testable import GatehouseDemo

struct ExampleConfigurationTests {
    @Test func exampleRunsOnGeneratedSecrets() throws {
        let configuration = try ExampleConfiguration.read(try DemoSecrets.generate())
        #expect(
            configuration.tenants.map(\.name) == ["customer", "driver", "finance", "chat", "clans", "start", "company"]
        )
        #expect(configuration.gateway.admin?.token != nil)
        for tenant in configuration.tenants {
            #expect(tenant.authenticate.policy.issuers.allSatisfy { $0.keys?.keys.isEmpty == false })
            #expect(tenant.authenticate.keySources.allSatisfy { $0 == .inline }, "there are no files to watch")
            #expect(tenant.signals.allSatisfy { $0.source == .inline && $0.keys?.keys.isEmpty == false })
            #expect(tenant.signals.isEmpty == (tenant.name == "start"))
        }
    }

    @Test func filesInMemoryAreListedByDirectory() throws {
        let files = MemoryFiles(content: ["/k/chat/a.pem": [1], "/k/chat/b.pem": [2], "/k/clans/c.pem": [3]])
        #expect(try files.list("/k/chat").sorted() == ["a.pem", "b.pem"])
        #expect(try files.list("/k").sorted() == ["chat", "clans"])
        #expect(try files.read("/k/chat/b.pem") == [2])
        #expect(throws: FileReadingError.notFound) { try files.read("/k/chat") }
        #expect(throws: FileReadingError.notFound) { try files.list("/k/other") }
    }
}
