import NIOEmbedded
import ProxyTestSupport
import Testing
import Time

@testable import Proxy

/// The bytes that a worker holds for all clients, and which one it closes beyond the limit.
struct ClientBacklogTests {
    @Test func changeIsDifferenceToPreviousBacklog() {
        var backlog = ClientBacklog()
        #expect(backlog.update(bytes: 500, taken: 0, at: 1) == 500)
        #expect(backlog.update(bytes: 200, taken: 300, at: 2) == -300)
        #expect(backlog.update(bytes: 0, taken: 500, at: 3) == -200)
    }

    @Test func rateFollowsBytesReadPerSecond() {
        let second: UInt64 = 1_000_000_000
        var stalled = ClientBacklog()
        var trickling = ClientBacklog()
        var steady = ClientBacklog()
        var fresh = ClientBacklog()
        _ = stalled.update(bytes: 1000, taken: 9_000_000, at: .after(second))
        _ = stalled.update(bytes: 1001, taken: 9_000_000, at: .after(60 * second))
        _ = trickling.update(bytes: 1000, taken: 0, at: .after(second))
        _ = trickling.update(bytes: 1001, taken: 60, at: .after(60 * second))
        _ = steady.update(bytes: 1000, taken: 0, at: .after(second))
        _ = steady.update(bytes: 1001, taken: 60_000_000, at: .after(60 * second))
        _ = fresh.update(bytes: 1000, taken: 0, at: .after(60 * second))
        let rates = [stalled, trickling, fresh, steady].map { $0.rate(at: .after(61 * second)) }
        #expect(rates == rates.sorted())
        #expect(Set(rates).count == 4)
    }

    @Test func slowestReadersAreClosedUntilWithinLimit() throws {
        let fixture = try EmbeddedWorker()
        let worker = fixture.worker
        worker.connections.backlog.limit = 1000
        let start = worker.lastTick - (10_000_000_000 as UInt64)
        let clients = (0..<5).map { _ in HoldingClient(worker) }
        for (number, client) in clients.enumerated() {
            client.hold(1, taken: 0, at: start)
            // The first and the third read least.
            client.hold(300, taken: number == 0 ? 0 : number == 2 ? 1 : 1_000_000, at: start)
        }
        #expect(worker.connections.backlog.bytes == 1500)
        // No connection is closed during the report of another.
        #expect(!clients.contains { $0.isClosed })
        (worker.eventLoop as? EmbeddedEventLoop)?.run()
        #expect(clients.map(\.isClosed) == [true, false, true, false, false])
        #expect(worker.connections.backlog.bytes == 900)
        #expect(worker.currentCounters().clientBacklog == 900)
    }
}
