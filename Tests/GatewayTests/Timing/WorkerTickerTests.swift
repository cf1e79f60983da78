import NIOCore
import NIOEmbedded
import Testing
import Time

@testable import Gateway
@testable import SharedState

/// A loop that nobody uses sleeps, and whoever uses it finds its clocks right.
struct WorkerTickerTests {
    private final class Target: WheelTimerTarget {
        func deadlineMet() {}
    }

    private let house: EmbeddedHouse
    private let loop: EmbeddedEventLoop

    private var worker: Worker { house.worker }

    init() throws {
        house = try EmbeddedHouse()
        loop = try #require(house.worker.eventLoop as? EmbeddedEventLoop)
    }

    /// Started, and asleep.
    private func fallAsleep() {
        worker.start()
        loop.advanceTime(by: .milliseconds(200))
        #expect(worker.ticker.isSleeping)
    }

    @Test func idleLoopTicksOnceARoundOfTheWheel() {
        worker.start()
        loop.advanceTime(by: .hours(1))
        // One every 51.15 s; with a tick every 50 ms there were 72,000.
        #expect(worker.ticker.count <= 75)
        #expect(worker.ticker.count >= 60)
    }

    @Test func idleConnectionDoesNotKeepTheLoopAwake() {
        let target = Target()
        let timer = WheelTimer()
        timer.target = target
        worker.start()
        worker.timers.set(timer, worker.now() + 75_000_000_000)
        loop.advanceTime(by: .hours(1))
        #expect(worker.ticker.count <= 80)
        worker.timers.retire(timer)
    }

    @Test func loopThatIsAskedForTheTimeTicksAndSleepsAgain() {
        fallAsleep()
        let count = worker.ticker.count
        _ = worker.now()
        loop.advanceTime(by: .milliseconds(50))
        #expect(worker.ticker.count == count + 1)
        // Asked again and again it ticks on.
        for _ in 0..<20 {
            _ = worker.now()
            loop.advanceTime(by: .milliseconds(50))
        }
        #expect(worker.ticker.count == count + 21)
        loop.advanceTime(by: .seconds(10))
        #expect(worker.ticker.count == count + 22)
        #expect(worker.ticker.isSleeping)
    }

    @Test(arguments: 0..<4)
    func whatTellsTheTimeIsOfNowThoughTheLoopSlept(reading: Int) {
        fallAsleep()
        let before = Clock.monotonic()
        #expect(worker.clocks.moment <= before)
        switch reading {
        case 0: _ = worker.now()
        case 1: #expect(worker.lastTick >= before)
        case 2: #expect(!worker.date.isEmpty)
        default: #expect(abs(worker.unixTime(at: Clock.monotonic()) - Clock.unix()) < 60)
        }
        #expect(worker.clocks.moment >= before)
        #expect(!worker.ticker.isSleeping)
    }

    @Test func deadlineThatIsSetWhileTheLoopSleepsIsMet() {
        fallAsleep()
        let target = Target()
        let timer = WheelTimer()
        timer.target = target
        // Reckoned from a time that was read before.
        worker.timers.set(timer, Clock.monotonic() + 300_000_000)
        #expect(!worker.ticker.isSleeping)
        worker.timers.retire(timer)
    }

    @Test func changedRevocationsWakeTheLoopAndTheirAgeAloneDoesNot() {
        fallAsleep()
        worker.use(RevocationUpdate(sets: [:], contact: Clock.monotonic()))
        #expect(worker.ticker.isSleeping)
        let name = worker.serving.tenants[0].tenant.name
        worker.use(RevocationUpdate(sets: [name: RevocationSet()], contact: Clock.monotonic()))
        #expect(!worker.ticker.isSleeping)
    }

    @Test func stoppedLoopNeverTicksAgain() {
        fallAsleep()
        let count = worker.ticker.count
        worker.stop()
        _ = worker.now()
        loop.advanceTime(by: .hours(1))
        #expect(worker.ticker.count == count)
    }
}
