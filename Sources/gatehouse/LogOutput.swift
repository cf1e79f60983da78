import CommandSupport
import Gateway
import Glibc
import Logging
import Proxy
import Tenants

/// The log as configured in `gateway.log`: one line per message to standard error. Lines are written on a separate
/// thread, because event loops log too: a stalled reader loses lines, which are counted, and blocks nothing.
struct LogOutput: Sendable {
    /// Bytes of lines that may be queued.
    private static let bound = 4 << 20
    /// How long to wait for the last lines.
    private static let flushTimeout = Duration.seconds(1)

    /// All loggers of the program are derived from it.
    let logger: Logger
    private let queue: LineQueue

    init(_ settings: LogSettings, to descriptor: CInt = STDERR_FILENO) {
        let format = settings.format
        let queue = LineQueue(
            to: descriptor,
            bound: Self.bound,
            notice: { count in Array((Self.notice(of: count).written(as: format) + "\n").utf8) }
        )
        let levels = LogLevels(settings)
        self.queue = queue
        logger = Logger(label: "gatehouse") { label in
            LineLogHandler(
                label: label,
                format: format,
                levels: levels,
                write: { queue.add(Array($0.utf8)) },
                lost: { queue.lost.lines }
            )
        }
    }

    /// Returns when everything logged before is written, or after a second.
    func flush() async { await queue.flush(within: Self.flushTimeout) }

    private static func notice(of count: Int) -> LogLine {
        LogLine(
            time: WallClock.now(),
            level: .warning,
            label: "gatehouse",
            message: "lines of the log were lost",
            error: nil,
            metadata: [(key: "lines", value: "\(count)")]
        )
    }
}
