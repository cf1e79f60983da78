import CommandSupport
import Gateway
import Glibc
import Logging
import Proxy
import Tenants

/// The log as `gateway.log` asks for it: a line a message to standard error. Lines are written on a thread of their
/// own, because event loops log too: a reader that is stuck costs lines, which are counted, and stops nothing.
struct LogOutput: Sendable {
    /// Bytes of lines that may wait to be written.
    private static let bound = 4 << 20
    /// How long the last lines are waited for.
    private static let patience = Duration.seconds(1)

    /// All loggers of the program are made from it.
    let logger: Logger
    private let queue: LineQueue

    /// - Parameter descriptor: Where the lines go.
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

    /// Returns when all that was logged is written, or after a second.
    func flush() async { await queue.flush(within: Self.patience) }

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
