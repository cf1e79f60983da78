import Glibc

/// Where access-log lines go.
public enum AccessLogDestination: Sendable {
    case standardOutput
    case discard
    /// Whole lines, several at once.
    case sink(@Sendable ([UInt8]) -> Void)
}

/// Takes the access-log lines of all event loops; see ``LineQueue`` for what becomes of those that cannot be written.
package struct AccessLogWriter: Sendable {
    /// Bytes of lines that may wait to be written.
    private static let bound = 64 << 20
    /// How long the last lines are waited for: whoever does not read must not hold up the end.
    private static let patience = Duration.seconds(3)

    private let queue: LineQueue

    /// - Returns: Nil where nothing is to be written.
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

    /// Bytes of lines that were lost because the destination could not keep up, or took them no more.
    package var lost: Int { queue.lost.bytes }

    package func write(_ lines: [UInt8]) { queue.add(lines) }

    /// Returns when all that was handed over before is written, or after a few seconds.
    ///
    /// - Returns: Whether it is.
    package func flush() async -> Bool { await queue.flush(within: Self.patience) }
}
