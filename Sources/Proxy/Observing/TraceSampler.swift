import Time
import Upstream

/// Decides which requests are traced. A value of one event loop, without I/O.
///
/// Whoever has begun a trace has decided already, and is followed. What is not from a trusted proxy could be anybody's
/// decision, though: of those that want to be traced only so many a second are, and beyond that the share of all.
struct TraceSampler: Sendable {
    /// Requests a second that are traced because a client that is no trusted proxy says so.
    static let mostAskedFor = 20

    /// Of 2 to the power of 56.
    private let threshold: UInt64
    private var second: UInt64 = 0
    private var askedFor = 0

    /// - Parameter share: From 0 to 1, of the requests that nobody has decided on.
    init(share: Double) {
        threshold = UInt64(max(0, min(share, 1)) * 0x1p56)
    }

    /// Whether a request is traced that nobody has decided on.
    ///
    /// - Parameter traceLow: The lower half of the trace's identifier, which is random: all instances that go by it
    ///   decide alike (W3C Trace Context level 2, random-trace-id flag).
    func samples(traceLow: UInt64) -> Bool { traceLow & 0x00ff_ffff_ffff_ffff < threshold }

    /// - Parameters:
    ///   - draw: A random number of our own: the trace's identifier is the client's choice, and with one that is low
    ///     enough it would have all that it sends traced.
    mutating func samples(
        _ parent: TraceParent,
        isTrusted: Bool,
        at now: MonotonicTime,
        draw: @autoclosure () -> UInt64
    ) -> Bool {
        guard parent.isSampled else { return false }
        if isTrusted { return true }
        let second = now.nanoseconds / 1_000_000_000
        if second != self.second {
            self.second = second
            askedFor = 0
        }
        guard askedFor < Self.mostAskedFor else { return samples(traceLow: draw()) }
        askedFor += 1
        return true
    }
}
