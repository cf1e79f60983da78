import Time
import Upstream

/// Decides which requests are traced. A value of one event loop, without I/O.
///
/// A trusted proxy's sampling decision is followed. Any other client could set the flag: of the requests that ask to be
/// traced only a limited number per second are, and beyond that the general share applies.
struct TraceSampler: Sendable {
    /// Requests per second that are traced because an untrusted client asks for it.
    static let mostAskedFor = 20

    /// Of 2 to the power of 56.
    private let threshold: UInt64
    private var second: UInt64 = 0
    private var askedFor = 0

    /// - Parameter share: From 0 to 1, of requests without a sampling decision.
    init(share: Double) {
        threshold = UInt64(max(0, min(share, 1)) * 0x1p56)
    }

    /// Whether a request without a sampling decision is traced.
    ///
    /// - Parameter traceLow: The lower half of the trace's identifier, which is random: all instances that use it
    ///   decide alike (W3C Trace Context level 2, random-trace-id flag).
    func samples(traceLow: UInt64) -> Bool { traceLow & 0x00ff_ffff_ffff_ffff < threshold }

    /// - Parameters:
    ///   - draw: A random number of our own: the client chooses the trace's identifier, and could choose a low one to
    ///     have all its requests traced.
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
