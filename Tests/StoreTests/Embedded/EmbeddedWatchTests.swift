import Testing

@testable import Store

/// How a process learns what another one has written to its file.
@Suite struct EmbeddedWatchTests {
    @Test func writeOfAnotherProcessRingsTheBell() async throws {
        try await StoreFactory.embedded.run { world in
            let reader = try #require(try await world.store() as? EmbeddedStore)
            #expect(reader.isWatched)
            for name in ["first", "second"] {
                let rings = reader.bell.rings
                try await world.write("UPDATE meta SET number = number + 1")
                await reader.bell.wait(past: rings, for: .seconds(60))
                #expect(reader.bell.rings > rings, "\(name)")
            }
        }
    }

    @Test func storeThatIsClosedWatchesNothing() async throws {
        try await StoreFactory.embedded.run { world in
            let store = try #require(try await world.store() as? EmbeddedStore)
            await store.close()
            #expect(!store.isWatched)
        }
    }

    @Test func fileThatIsNotThereCannotBeWatched() {
        #expect(EmbeddedWatch("/nonexistent/store.db") {} == nil)
    }
}
