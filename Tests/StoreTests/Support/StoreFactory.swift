import Foundation
import Logging
import NIOPosix
import Redis
import Synchronization
import TestSupport
import Time

@testable import Store

/// The three kinds of store, each of which has to pass the same tests.
enum StoreFactory: String, CaseIterable {
    case memory, embedded, redis

    /// Runs `body` with an empty store, which is removed afterwards.
    ///
    /// - Parameter keptChanges: The minimum length of the store's history.
    func run(keptChanges: Int = 100_000, _ body: (StoreWorld) async throws -> Void) async throws {
        let world = try await StoreWorld(self, keptChanges: keptChanges)
        try await attempt {
            try await body(world)
        } finally: {
            await world.remove()
        }
    }

    /// As ``run(keptChanges:_:)``, with one open store and nothing else.
    func runStore(_ body: (any Store) async throws -> Void) async throws {
        try await run { world in try await body(try await world.store()) }
    }
}

/// A place with data, and stores that work on it.
final class StoreWorld: Sendable {
    let factory: StoreFactory
    let clock = ManualClock()
    let log = RecordedLog(from: .error)
    /// Nil but for ``StoreFactory/redis``.
    let server: UnawaitedRedisServer?
    /// Of ``StoreFactory/embedded``.
    let file: URL
    private let keptChanges: Int
    private let opened = Mutex<[any Store]>([])

    init(_ factory: StoreFactory, keptChanges: Int) async throws {
        self.factory = factory
        self.keptChanges = keptChanges
        server = factory == .redis ? try await UnawaitedRedisServer() : nil
        file = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString).db")
    }

    /// An open store: for Redis and SQLite one more, as another process has it.
    func store() async throws -> any Store {
        if factory == .memory, let store = opened.withLock({ $0.first }) { return store }
        let store = make()
        try await store.open()
        opened.withLock { $0.append(store) }
        return store
    }

    private func make() -> any Store {
        switch factory {
        case .memory: MemoryStore(clock: clock.reading, keptChanges: keptChanges, keptAnnouncements: 100)
        case .embedded: embeddedStore()
        case .redis: redisStore()
        }
    }

    private func embeddedStore() -> EmbeddedStore {
        EmbeddedStore(path: file.path, logger: log.logger, clock: clock.reading, keptChanges: keptChanges)
    }

    func redisStore() -> RedisStore {
        RedisStore(
            RedisConfiguration(servers: .direct([server?.address ?? RedisAddress(host: "127.0.0.1")])),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: log.logger,
            clock: clock.reading,
            keptChanges: keptChanges
        )
    }

    func remove() async {
        for store in opened.withLock({ $0 }) { await store.close() }
        server?.remove()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
    }
}

/// Polls until the condition holds, for a minute at most.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
        if try await condition() { return true }
    }
    return false
}

extension Store {
    /// All records, and the position to continue from.
    func load(_ tenants: [String]) async throws -> (records: [RevocationDigest: RevocationRecord], StorePosition) {
        let loaded = Mutex<[RevocationDigest: RevocationRecord]>([:])
        let position = try await loadRevocations(tenants: tenants) { page in
            loaded.withLock { for record in page { $0[record.digest] = record } }
        }
        return (loaded.withLock { $0 }, position)
    }

    /// The changes since then, without waiting.
    func changes(after position: StorePosition) async throws -> [RevocationRecord]? {
        guard case .changes(let records, _, _) = try await changes(after: position, waiting: .zero) else { return nil }
        return records
    }
}

func revocation(
    _ id: String,
    tenant: String = "chat",
    at revokedAt: UnixTime = 1_800_000_000.25,
    expires: UnixTime = .distantFuture,
    reason: String? = nil
) -> Revocation {
    Revocation(
        tenant: tenant,
        target: .token(issuer: "https://issuer.example", tokenID: id),
        revokedAt: revokedAt,
        expiresAt: expires,
        reason: reason
    )
}
