import Foundation
import Logging
import Store
import Synchronization
import Tenants
import TestSupport
import Testing
import Time
import Verification

@testable import Events

/// A receiver that answers as told and records what it gets, the time, and faults by a fixed seed.
final class OutboxWorld: OutboxTransport {
    struct Received: Sendable {
        let request: OutboxRequest
        let at: UnixTime

        /// Of a webhook's body.
        func member(_ name: String) -> String? {
            (try? JSONParser.parse(request.body))?.object?[name]?.string
        }

        func field(_ name: String) -> String? { request.fields.first { $0.name == name }?.value }
    }

    typealias Answer = @Sendable (OutboxRequest) throws(OutboxFailure) -> OutboxResponse

    struct State {
        var now = UnixTime(1_800_000_000)
        var answer: Answer = { _ in OutboxResponse(status: 204) }
        var received: [Received] = []
        /// Streams with a request under way, by `sid`.
        var running: Set<String> = []
        var overlaps = 0
        /// By whom a request is kept.
        var gate: @Sendable (OutboxRequest) -> Awaited<Bool>? = { _ in nil }
    }

    let state = Mutex(State())
    /// The number of requests.
    private let arrivals = Awaited(0)

    var now: UnixTime { state.withLock { $0.now } }
    var received: [Received] { state.withLock { $0.received } }
    var overlaps: Int { state.withLock { $0.overlaps } }

    func pass(_ seconds: Double) { state.withLock { $0.now = $0.now + seconds } }

    func answer(_ status: Int, retryAfter: Int? = nil) {
        state.withLock { $0.answer = { _ in OutboxResponse(status: status, retryAfter: retryAfter) } }
    }

    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    /// Keeps requests to these addresses, or all, until the value is true.
    func hold(_ gate: Awaited<Bool>, _ holds: @escaping @Sendable (OutboxRequest) -> Bool = { _ in true }) {
        state.withLock { $0.gate = { holds($0) ? gate : nil } }
    }

    /// Waits for so many requests, as long as the test may take.
    func arrived(_ count: Int) async { await arrivals.wait { $0 >= count } }

    func send(_ request: OutboxRequest) async throws(OutboxFailure) -> OutboxResponse {
        let sid = (try? JSONParser.parse(request.body))?.object?["sid"]?.string
        let (answer, gate) = state.withLock { state in
            state.received.append(Received(request: request, at: state.now))
            if let sid, !state.running.insert(sid).inserted { state.overlaps += 1 }
            return (state.answer, state.gate(request))
        }
        arrivals.update { $0 += 1 }
        await gate?.wait { $0 }
        await Task.yield()
        state.withLock { state in if let sid { state.running.remove(sid) } }
        return try answer(request)
    }
}

/// The stores of one machine. What Redis does has tests of its own, over loopback.
enum OutboxStoreKind: String, CaseIterable, Sendable {
    case memory, embedded
}

/// A database that is removed with the last fixture that uses it.
final class DatabaseFile: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("outbox-\(UUID().uuidString).db").path

    deinit {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}

/// One instance's outbox.
struct OutboxFixture {
    static let settings = EventSettings(
        url: "https://hooks.test/in",
        secrets: [Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")],
        types: EventType.allCases
    )

    let world: OutboxWorld
    let store: any Store
    let log = RecordedLog()
    let outbox: EventOutbox
    /// Of the embedded store.
    private var file: DatabaseFile?

    init(
        _ world: OutboxWorld = OutboxWorld(),
        _ store: any Store = MemoryStore(),
        limits: EventOutbox.Limits = EventOutbox.Limits(jitter: { 1 }),
        settings: EventSettings? = OutboxFixture.settings,
        issuers: [String: LogoutIssuer] = [:]
    ) {
        self.world = world
        self.store = store
        outbox = EventOutbox(store: store, transport: world, limits: limits, logger: log.logger) { world.now }
        outbox.adopt(settings, issuers: issuers)
    }

    /// With a store of its own.
    init(
        _ kind: OutboxStoreKind,
        limits: EventOutbox.Limits = EventOutbox.Limits(jitter: { 1 }),
        settings: EventSettings? = OutboxFixture.settings
    ) async throws {
        switch kind {
        case .memory: self.init(limits: limits, settings: settings)
        case .embedded:
            let file = DatabaseFile()
            let store = EmbeddedStore(path: file.path)
            try await store.open()
            self.init(OutboxWorld(), store, limits: limits, settings: settings)
            self.file = file
        }
    }

    /// The content of a collection of the outbox, by name.
    func entries(_ collection: String) async throws -> [String: [UInt8]] {
        let entries = try await store.entries(of: StoreCollection("outbox-\(collection)"), after: nil, limit: 1000)
        return Dictionary(uniqueKeysWithValues: entries.map { ($0.name, $0.value) })
    }

    func event(_ type: EventType, _ session: String?, subject: String = "alice", details: JSONObject = [:]) -> Event {
        Event(type, tenant: "shop", subject: subject, session: session, at: world.now, details: details)
    }

    /// Works once a second for a while.
    func work(seconds: Int) async {
        for _ in 0..<seconds {
            await outbox.work()
            world.pass(1)
        }
    }

    func count(_ type: EventType, _ result: OutboxCounts.Result) -> Int { count(type.rawValue, result) }

    func count(_ type: String, _ result: OutboxCounts.Result) -> Int {
        outbox.counts.snapshot().results[OutboxCounts.Labels(type: type, result: result)] ?? 0
    }
}
