import Testing

@testable import Store

@Suite struct ValueTests {
    private let key = StoreKey(tenant: "chat", kind: "key-set", name: "https://issuer.example")

    @Test(arguments: StoreFactory.allCases)
    func valueIsKeptUntilRemoved(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            #expect(try await store.value(for: key) == nil)
            let bytes = Array(UInt8.min...UInt8.max)
            try await store.set(bytes, for: key, lifetime: nil)
            #expect(try await store.value(for: key) == bytes)
            try await store.set([], for: key, lifetime: .seconds(60))
            #expect(try await store.value(for: key) == [])
            #expect(try await store.value(for: StoreKey(tenant: nil, kind: "key-set", name: "x")) == nil)
            try await store.remove(key)
            #expect(try await store.value(for: key) == nil)
            try await store.remove(key)
            #expect(store.isUp)
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func keysOfOneKindAreFoundInPages(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            let wanted = Set((0..<25).map { StoreKey(tenant: "chat", kind: "account", name: "\($0)") })
            for key in wanted { try await store.set([1], for: key, lifetime: nil) }
            // Names that are longer, and tenants that a pattern would match.
            for key in [
                StoreKey(tenant: "chat", kind: "account-identity", name: "1"), key,
                StoreKey(tenant: "shat", kind: "account", name: "1"), StoreKey(tenant: nil, kind: "account", name: "1"),
            ] { try await store.set([1], for: key, lifetime: nil) }
            try await store.set(
                [1],
                for: StoreKey(tenant: "chat", kind: "account", name: "old"),
                lifetime: .milliseconds(30)
            )
            world.clock.advance(0.031)
            func all() async throws -> [StoreKey] {
                var found: [StoreKey] = []
                var cursor: String?
                repeat {
                    let page = try await store.keys(ofTenant: "chat", kind: "account", cursor: cursor, limit: 4)
                    found += page.keys
                    cursor = page.next
                } while cursor != nil
                return found
            }
            #expect(try await eventually { Set(try await all()) == wanted })
            #expect(try await store.keys(ofTenant: "?hat", kind: "account", cursor: nil, limit: 100).keys.isEmpty)
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func aValueExpires(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            try await store.set([1], for: key, lifetime: .milliseconds(30))
            world.clock.advance(0.031)
            #expect(try await eventually { try await store.value(for: key) == nil })
            // A new value does not inherit the old one's expiry.
            try await store.set([2], for: key, lifetime: nil)
            world.clock.advance(1e9)
            #expect(try await store.value(for: key) == [2])
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func valueIsReplacedOnlyIfExpected(factory: StoreFactory) async throws {
        try await factory.runStore { store async throws in
            #expect(try await !store.replace([1], with: [2], for: key))
            #expect(try await store.replace(nil, with: [1], for: key))
            #expect(try await !store.replace(nil, with: [9], for: key))
            #expect(try await !store.replace([9], with: [2], for: key))
            #expect(try await store.replace([1], with: [2], for: key))
            #expect(try await store.value(for: key) == [2])
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func aReplacedValueKeepsItsLifetime(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            try await store.set([1], for: key, lifetime: .milliseconds(200))
            _ = try await store.replace([1], with: [2], for: key)
            world.clock.advance(0.201)
            #expect(try await eventually { try await store.value(for: key) == nil })
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func replacementCanSetANewLifetime(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            try await store.set([1], for: key, lifetime: .seconds(3600))
            #expect(try await store.replace([1], with: [2], for: key, lifetime: .seconds(7200)))
            #expect(try await store.replace([2], with: [3], for: key))
            // The hour of the first is over now, in the test's time.
            world.clock.advance(3601)
            #expect(try await store.value(for: key) == [3])
            #expect(try await store.replace([3], with: [4], for: key, lifetime: .milliseconds(30)))
            world.clock.advance(0.031)
            #expect(try await eventually { try await store.value(for: key) == nil })
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func expiredValueIsNotReplaced(factory: StoreFactory) async throws {
        try await factory.run { world in
            let store = try await world.store()
            #expect(try await store.replace(nil, with: [1], for: key, lifetime: .milliseconds(30)))
            #expect(try await !store.replace([9], with: [2], for: key, lifetime: .seconds(60)))
            world.clock.advance(0.031)
            #expect(try await eventually { try await store.value(for: key) == nil })
            #expect(try await !store.replace([1], with: [2], for: key, lifetime: .seconds(60)))
            #expect(try await store.value(for: key) == nil)
            #expect(try await store.replace(nil, with: [3], for: key))
            // Without a lifetime: not with what the expired one had.
            world.clock.advance(1e9)
            #expect(try await store.value(for: key) == [3])
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func oneOfManyConcurrentReplacementsSucceeds(factory: StoreFactory) async throws {
        try await factory.run { world in
            let stores = [try await world.store(), try await world.store()]
            let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<20 {
                    group.addTask { [key] in
                        try await stores[index % 2].replace(nil, with: [UInt8(index)], for: key)
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
        }
    }

    @Test(arguments: StoreFactory.allCases)
    func closedStoreReportsIt(factory: StoreFactory) async throws {
        guard factory != .memory else { return }
        try await factory.runStore { store async throws in
            await store.close()
            await #expect(throws: StoreError.self) { try await store.value(for: key) }
            #expect(!store.isUp)
        }
    }

    @Test func hashedKeyDoesNotRevealItsContent() {
        let token = "eyJhbGciOiJIUzI1NiJ9.secret"
        let key = StoreKey(tenant: "chat", kind: "session", hashing: token.utf8)
        #expect(key.text.hasPrefix("gatehouse:{chat}:session:"))
        #expect(!key.text.contains("secret") && !key.text.contains("eyJ"))
        #expect(key == StoreKey(tenant: "chat", kind: "session", hashing: token.utf8))
        #expect(key != StoreKey(tenant: "chat", kind: "session", hashing: "other".utf8))
        #expect(StoreKey(tenant: nil, kind: "a", name: "b").text == "gatehouse:fleet:a:b")
    }
}
