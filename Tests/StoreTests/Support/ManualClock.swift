import Store
import Synchronization
import Time

/// Unix time that a test advances.
final class ManualClock: Sendable {
    private let time = Mutex(UnixTime(1_800_000_000.5))

    var now: UnixTime { time.withLock { $0 } }

    var reading: UnixClock { { self.now } }

    func advance(_ seconds: Double) { time.withLock { $0 = $0 + seconds } }
}
