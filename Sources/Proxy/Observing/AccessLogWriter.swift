import Glibc

/// Where access-log lines go.
public enum AccessLogDestination: Sendable {
    case standardOutput
    case discard
    /// Whole lines, several at once.
    case sink(@Sendable ([UInt8]) -> Void)
}

/// Takes the access-log lines of all event loops; ``LineQueue`` says what happens to lines that cannot be written.
package struct AccessLogWriter: Sendable {
    /// Bytes of lines that may be queued.
    private static let bound = 64 << 20
    /// How long to wait for the last lines: a stalled reader must not delay shutdown.
    private static let patience = Duration.seconds(3)

    private let queue: LineQueue

    /// - Returns: Nil if nothing is to be written.
    package static func make(_ destination: AccessLogDestination) -> AccessLogWriter? {
        switch destination {
        case .discard:
            return nil
        case .standardOutput:
            return AccessLogWriter(queue: LineQueue(to: STDOUT_FILENO, bound: bound))
        case .sink(let sink):
            let output: @Sendable ([UInt8]) -> Int = { lines in
                sink(lines)
                return lines.count
            }
            return AccessLogWriter(queue: LineQueue(bound: bound, output: output))
        }
    }

    /// Bytes of lines that were lost because the destination was too slow or failed.
    package var lost: Int { queue.lost.bytes }

    package func write(_ lines: [UInt8]) { queue.add(lines) }

    /// Returns when everything queued before is written, or after a few seconds.
    ///
    /// - Returns: Whether it is written.
    package func flush() async -> Bool { await queue.flush(within: Self.patience) }
}
