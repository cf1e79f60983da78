import Testing

@testable import Store

/// How a process notices what another one has written to the file.
@Suite struct EmbeddedWatchTests {
    @Test func writeOfAnotherProcessIsSignalled() async throws {
        try await StoreFactory.embedded.run { world in
            let reader = try #require(try await world.store() as? EmbeddedStore)
            #expect(reader.isWatched)
            for name in ["first", "second"] {
                let count = reader.signal.count
                try world.write("UPDATE meta SET number = number + 1")
                await reader.signal.wait(past: count, for: .seconds(60))
                #expect(reader.signal.count > count, "\(name)")
            }
        }
    }

    @Test func closedStoreHasNoWatch() async throws {
        try await StoreFactory.embedded.run { world in
            let store = try #require(try await world.store() as? EmbeddedStore)
            await store.close()
            #expect(!store.isWatched)
        }
    }

    @Test func missingFileCannotBeWatched() {
        #expect(EmbeddedWatch("/nonexistent/store.db") {} == nil)
    }
}
