import Foundation
import Logging
import Store
import TestSupport
import Testing
import Time

@testable import SharedState

/// An instance that follows the tenants in the store.
struct StoredTenantServiceTests {
    private let store = FailingStore()
    private let changes = Awaited(0)
    private let log = RecordedLog()

    private func sealer() throws -> Sealer {
        Sealer(try SealingKeys(Data(repeating: 1, count: 32).base64EncodedString()))
    }

    private func service(stateDirectory: String? = nil) throws -> StoredTenantService {
        let changes = changes
        let tenants = StoredTenants(store: store, sealer: try sealer())
        return StoredTenantService(tenants, stateDirectory: stateDirectory, logger: log.logger) {
            changes.update { $0 += 1 }
            return true
        }
    }

    private func put(_ name: String, _ text: String) async throws {
        // As another instance, which the store is never cut off from.
        let tenants = StoredTenants(store: store.store, sealer: try sealer())
        let tag = try await tenants.head(of: name)?.tag
        let write = StoredTenantWrite(
            name: name,
            condition: tag.map { .tag($0) } ?? .absent,
            by: "other",
            writer: .all,
            at: 1_800_000_000
        )
        _ = try await tenants.put(text, routes: [], write)
    }

    private func running(_ body: (StoredTenantService) async throws -> Void) async throws {
        let service = try service()
        let task = Task { await service.run() }
        try await attempt {
            try await body(service)
        } finally: {
            task.cancel()
            await task.value
        }
    }

    private func texts(_ service: StoredTenantService) -> [String] { service.all.map { "\($0.head.name) \($0.text)" } }

    @Test func loadReadsAllInOrderOfTheirNames() async throws {
        for name in ["b", "a", "c"] { try await put(name, "text of \(name)") }
        let service = try service()
        #expect(!service.isLoaded)
        #expect(await service.load())
        #expect(texts(service) == ["a text of a", "b text of b", "c text of c"])
    }

    @Test func announcedTenantIsReadAndPassedOn() async throws {
        try await put("a", "1")
        try await running { service in
            await changes.wait { $0 == 1 }
            try await put("a", "2")
            await service.announced("a")
            await changes.wait { $0 == 2 }
            #expect(texts(service) == ["a 2"])
        }
    }

    @Test func manyAnnouncementsArePassedOnTogether() async throws {
        try await running { service in
            await changes.wait { $0 == 1 }
            for number in 0..<50 {
                try await put("t\(number)", "1")
                await service.announced("t\(number)")
            }
            while service.all.count < 50 { await Task.yield() }
            // One that changes nothing more.
            await service.announced("t0")
            #expect(changes.value < 25)
        }
    }

    @Test func missedChangesAreFoundAfterReconnecting() async throws {
        try await put("a", "1")
        try await put("b", "1")
        try await running { service in
            await changes.wait { $0 == 1 }
            store.cut()
            await service.announced("a")
            await store.failed()
            #expect(texts(service) == ["a 1", "b 1"])
            try await put("a", "2")
            let tenants = StoredTenants(store: store.store, sealer: try sealer())
            let tag = try #require(try await tenants.head(of: "b")?.tag)
            _ = try await tenants.delete(
                StoredTenantWrite(name: "b", condition: .tag(tag), by: "x", writer: .all, at: 1)
            )
            store.heal()
            await service.reloaded()
            await changes.wait { $0 == 2 }
            #expect(texts(service) == ["a 2"])
        }
    }

    @Test func outageKeepsWhatIsKnownAndIsLoggedOnce() async throws {
        try await put("a", "1")
        let service = try service()
        #expect(await service.load())
        store.cut()
        for _ in 0..<3 {
            await service.reloaded()
            #expect(await service.load())
        }
        #expect(texts(service) == ["a 1"])
        #expect(log.lines.count { $0.contains("could not be read") } == 1)
    }

    @Test func copiesAreServedUntilTheStoreIsBack() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        for name in ["a", "b"] { try await put(name, "1") }
        #expect(try await service(stateDirectory: scratch.path).load())
        store.cut()
        try await put("a", "2")
        let service = try service(stateDirectory: scratch.path)
        #expect(await !service.load())
        #expect(texts(service) == [])
        await service.restore()
        #expect(texts(service) == ["a 1", "b 1"] && !service.isLoaded)
        #expect(log.lines.contains { $0.contains("their copies in the state directory are served tenants=2") })
        store.heal()
        #expect(await service.load())
        #expect(texts(service) == ["a 2", "b 1"] && service.isLoaded)
        // What was read is never replaced by a copy.
        await service.restore()
        #expect(texts(service) == ["a 2", "b 1"])
    }

    @Test func withoutStateDirectoryNothingIsRestored() async throws {
        try await put("a", "1")
        store.cut()
        let service = try service()
        #expect(await !service.load())
        await service.restore()
        #expect(texts(service) == [])
    }

    @Test func tenantThatCannotBeOpenedLeavesTheOthers() async throws {
        try await put("a", "1")
        try await put("b", "1")
        let head = try #require(try await StoredTenants(store: store, sealer: try sealer()).head(of: "a"))
        let name = StoredTenants.textName("a", head.tag)
        _ = try await store.change([EntryChange(StoredTenants.texts, name, to: [1, 2, 3])])
        let service = try service()
        #expect(await service.load())
        #expect(texts(service) == ["b 1"])
        #expect(log.lines.contains { $0.contains("a tenant in the store cannot be read") })
    }
}
