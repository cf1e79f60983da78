import Glibc
import UnixSignals

/// SIGTERM and SIGINT, caught as soon as this is made: the first requests a clean end, the second ends the process at
/// once.
package struct TerminationSignals: Sendable {
    /// Ends at the first signal; carries no values.
    private let untilFirst: AsyncStream<Never>

    package init() async {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        untilFirst = stream
        // Lives as long as the process, since a clean end may hang at any point. The sequence has only one reader.
        Task {
            var isFirst = true
            for await signal in signals {
                guard isFirst else { _exit(128 + signal.rawValue) }
                isFirst = false
                continuation.finish()
            }
        }
    }

    /// Returns at the first signal, or when its task is cancelled.
    package func first() async {
        for await _ in untilFirst {}
    }
}
