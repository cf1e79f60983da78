import NIOCore
import NIOEmbedded
import Proxy
import ProxyTestSupport
import SharedState
import Testing
import Time

@testable import Upstream

/// An idle loop sleeps, and its clocks are correct when it wakes.
struct WorkerTickerTests {
    private final class Target: WheelTimerTarget {
        func deadlineMet() {}
    }

    private let fixture: EmbeddedWorker
    private let loop: EmbeddedEventLoop

    private var worker: Worker { fixture.worker }

    init() throws {
        fixture = try EmbeddedWorker()
        loop = try #require(fixture.worker.eventLoop as? EmbeddedEventLoop)
    }

    /// Started, and asleep.
    private func fallAsleep() {
        worker.start()
        loop.advanceTime(by: .milliseconds(200))
        #expect(worker.loop.ticker.isSleeping)
    }

    @Test func idleLoopTicksOncePerWheelRound() {
        worker.start()
        loop.advanceTime(by: .hours(1))
        // One every 51.15 s; with a tick every 50 ms there were 72,000.
        #expect(worker.loop.ticker.count <= 75)
        #expect(worker.loop.ticker.count >= 60)
    }

    @Test func idleConnectionDoesNotWakeLoop() {
        let target = Target()
        let timer = WheelTimer()
        timer.target = target
        worker.start()
        worker.loop.timers.set(timer, worker.now() + 75_000_000_000)
        loop.advanceTime(by: .hours(1))
        #expect(worker.loop.ticker.count <= 80)
        worker.loop.timers.retire(timer)
    }

    @Test func timeQueryTicksOnceAndLoopSleepsAgain() {
        fallAsleep()
        let count = worker.loop.ticker.count
        _ = worker.now()
        loop.advanceTime(by: .milliseconds(50))
        #expect(worker.loop.ticker.count == count + 1)
        // While it is used it continues to tick.
        for _ in 0..<20 {
            _ = worker.now()
            loop.advanceTime(by: .milliseconds(50))
        }
        #expect(worker.loop.ticker.count == count + 21)
        loop.advanceTime(by: .seconds(10))
        #expect(worker.loop.ticker.count == count + 22)
        #expect(worker.loop.ticker.isSleeping)
    }

    @Test(arguments: 0..<4)
    func clockIsCurrentAfterSleep(reading: Int) {
        fallAsleep()
        let before = Clock.monotonic()
        #expect(worker.loop.clocks.moment <= before)
        switch reading {
        case 0: _ = worker.now()
        case 1: #expect(worker.lastTick >= before)
        case 2: #expect(!worker.loop.date.isEmpty)
        default: #expect(abs(worker.unixTime(at: Clock.monotonic()) - Clock.unix()) < 60)
        }
        #expect(worker.loop.clocks.moment >= before)
        #expect(!worker.loop.ticker.isSleeping)
    }

    @Test func deadlineSetDuringSleepFires() {
        fallAsleep()
        let target = Target()
        let timer = WheelTimer()
        timer.target = target
        // Computed from a time that was read before.
        worker.loop.timers.set(timer, Clock.monotonic() + 300_000_000)
        #expect(!worker.loop.ticker.isSleeping)
        worker.loop.timers.retire(timer)
    }

    @Test func changedRevocationsWakeLoopButAgeDoesNot() {
        fallAsleep()
        worker.use(RevocationUpdate(sets: [:], contact: Clock.monotonic()))
        #expect(worker.loop.ticker.isSleeping)
        let name = worker.serving.tenants[0].tenant.name
        worker.use(RevocationUpdate(sets: [name: RevocationSet()], contact: Clock.monotonic()))
        #expect(!worker.loop.ticker.isSleeping)
    }

    @Test func stoppedLoopNeverTicksAgain() {
        fallAsleep()
        let count = worker.loop.ticker.count
        worker.stop()
        _ = worker.now()
        loop.advanceTime(by: .hours(1))
        #expect(worker.loop.ticker.count == count)
    }
}
