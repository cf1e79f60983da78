import Foundation
import Logging
import NIOPosix
import Redis
import Store
import Synchronization
import TestSupport

/// The kinds of store.
enum StoreKind: String, CaseIterable, Sendable {
    case memory, embedded, redis

    /// Runs `body` with an empty backing, and removes it.
    func run(_ body: (StoreFixture) async throws -> Void) async throws {
        let fixture = try await StoreFixture(self)
        try await attempt {
            try await body(fixture)
        } finally: {
            await fixture.remove()
        }
    }
}

/// One backing for stores, empty at first.
final class StoreFixture: Sendable {
    private let kind: StoreKind
    private let server: UnawaitedRedisServer?
    private let file: URL
    private let opened = Mutex<[any Store]>([])

    init(_ kind: StoreKind) async throws {
        self.kind = kind
        server = kind == .redis ? try await UnawaitedRedisServer() : nil
        file = FileManager.default.temporaryDirectory.appendingPathComponent("issuing-\(UUID().uuidString).db")
    }

    /// An open store; for Redis and SQLite a new one, like another process's.
    func store() async throws -> any Store {
        if kind == .memory, let store = opened.withLock({ $0.first }) { return store }
        let store = make()
        try await store.open()
        opened.withLock { $0.append(store) }
        return store
    }

    private func make() -> any Store {
        switch kind {
        case .memory: MemoryStore.still
        case .embedded: EmbeddedStore(path: file.path)
        case .redis:
            RedisStore(
                RedisConfiguration(servers: .direct([server?.address ?? RedisAddress(host: "127.0.0.1")])),
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        }
    }

    func remove() async {
        for store in opened.withLock({ $0 }) { await store.close() }
        server?.remove()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
    }
}
