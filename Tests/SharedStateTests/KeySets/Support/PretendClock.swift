import TestSupport
import Time

@testable import SharedState

/// Time that passes when a test says so.
final class PretendClock: Sendable {
    private struct Times: Sendable {
        var now = 1000.0
        var unixAtZero: UnixTime
        var nextSleeper = 0
        var sleepers: [Int: (until: Double, continuation: CheckedContinuation<Void, Never>)] = [:]
    }

    private let times: Awaited<Times>

    /// - Parameter unix: What this clock shows at the start; clocks of instances may differ.
    init(unix: UnixTime = 1_800_000_000) {
        times = Awaited(Times(unixAtZero: unix - 1000))
    }

    var now: ClockReading {
        let times = times.value
        return ClockReading(monotonic: times.now, unix: times.unixAtZero + times.now)
    }

    /// - Parameter random: What chance says, always.
    func fleetClock(random: Double = 0.5) -> FleetClock {
        FleetClock(
            monotonic: { .after(UInt64((self.now.monotonic * 1e9).rounded())) },
            unix: { self.now.unix },
            sleep: { await self.sleep(until: Double($0.nanoseconds) / 1e9) },
            random: { random }
        )
    }

    func advance(by seconds: Double) {
        let over = times.update { times in
            times.now += seconds
            let over = times.sleepers.filter { $0.value.until <= times.now }
            for name in over.keys { times.sleepers[name] = nil }
            return over.values.map(\.continuation)
        }
        for continuation in over { continuation.resume() }
    }

    /// Waits until this many sleep until about then, with half a second to spare; by default, until whenever.
    func waitForSleepers(_ count: Int, after seconds: Double? = nil) async {
        await times.wait { times in
            let sleepers = times.sleepers.values.filter { sleeper in
                guard let seconds else { return true }
                return abs(sleeper.until - times.now - seconds) < 0.5
            }
            return sleepers.count >= count
        }
    }

    private func sleep(until: Double) async {
        let name = times.update { times in
            times.nextSleeper += 1
            return times.nextSleeper
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = times.update { times in
                    guard until > times.now, !Task.isCancelled else { return true }
                    times.sleepers[name] = (until, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            times.update { $0.sleepers.removeValue(forKey: name)?.continuation }?.resume()
        }
    }
}
