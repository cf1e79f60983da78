import Time
import Upstream

/// Enforces a minimum average rate in one direction of a body. Only time spent waiting for the client counts, and only
/// body bytes are progress: not frames, padding or chunk framing.
struct BodyRateMeter: Equatable {
    /// Nanoseconds of waiting before the average is checked.
    static let grace: UInt64 = 10_000_000_000

    /// Bytes per second; 0 for no minimum.
    let rate: Int
    private(set) var bytes = 0
    /// Nanoseconds waited before the current wait.
    private var waited: UInt64 = 0
    private var waitingSince: MonotonicTime?
    /// Whether the meter ever waited for the client.
    private(set) var hasBegun = false

    init(rate: Int = 0) { self.rate = rate }

    var isWaiting: Bool { waitingSince != nil }

    /// - Parameters:
    ///   - isWaiting: Whether the client is waited for from now on.
    ///   - bytes: Body bytes so far; a smaller count than before is no progress.
    mutating func update(isWaiting: Bool, bytes: Int, at now: MonotonicTime) {
        self.bytes = max(self.bytes, bytes)
        hasBegun = true
        if let since = waitingSince {
            guard !isWaiting else { return }
            waited += now > since ? now - since : 0
            waitingSince = nil
        } else if isWaiting {
            waitingSince = now
        }
    }

    /// When the average falls below the rate if no more bytes come; ``WheelTimer/never`` while not waiting for the
    /// client.
    var deadline: MonotonicTime {
        guard rate > 0, let since = waitingSince else { return WheelTimer.never }
        let allowed = max(Self.grace, Self.time(of: bytes, rate))
        return allowed > waited ? since + min(allowed - waited, .max - since.nanoseconds) : since
    }

    /// Average bytes per second of waiting so far, to compare bodies.
    func average(at now: MonotonicTime) -> Double {
        let total = waited + (waitingSince.map { now > $0 ? now - $0 : 0 } ?? 0)
        return Double(bytes) / max(Double(total) / 1_000_000_000, 0.001)
    }

    /// How long that many bytes may take, in nanoseconds.
    private static func time(of bytes: Int, _ rate: Int) -> UInt64 {
        let (product, overflow) = UInt64(max(bytes, 0)).multipliedReportingOverflow(by: 1_000_000_000)
        // Above 18 GB whole seconds are exact enough.
        guard overflow else { return product / UInt64(rate) }
        let time = (UInt64(max(bytes, 0)) / UInt64(rate)).multipliedReportingOverflow(by: 1_000_000_000)
        return time.overflow ? .max : time.partialValue
    }
}
