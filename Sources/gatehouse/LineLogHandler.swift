import CommandSupport
import Gateway
import Logging
import Tenants
import Time
import Upstream

/// Writes each message as one line, whatever it contains: as JSON or as text.
struct LineLogHandler: ModuleLogHandler {
    private let label: String
    private let module: LogModule?
    private let format: LogSettings.Format
    private let levels: LogLevels
    private let write: @Sendable (String) -> Void
    private let lost: @Sendable () -> Int
    private let now: @Sendable () -> UnixTime
    /// A logger's own level, if it is higher than the configured one.
    private var floor: Logger.Level = .trace
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    /// - Parameters:
    ///   - write: Takes a whole line with its newline, and must not block: event loops log.
    ///   - lost: How many lines were lost.
    init(
        label: String,
        module: LogModule? = nil,
        format: LogSettings.Format,
        levels: LogLevels,
        write: @escaping @Sendable (String) -> Void,
        lost: @escaping @Sendable () -> Int = { 0 },
        now: @escaping @Sendable () -> UnixTime = WallClock.now
    ) {
        self.label = label
        self.module = module
        self.format = format
        self.levels = levels
        self.write = write
        self.lost = lost
        self.now = now
    }

    var logLevel: Logger.Level {
        get {
            let level = max(floor, levels.level(of: module))
            // Changes by operators are logged at any level.
            return module == .audit ? min(level, .notice) : level
        }
        set { floor = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func handler(for module: LogModule) -> any LogHandler {
        var handler = LineLogHandler(
            label: module.label,
            module: module,
            format: format,
            levels: levels,
            write: write,
            lost: lost,
            now: now
        )
        handler.floor = floor
        handler.metadata = metadata
        handler.metadataProvider = metadataProvider
        return handler
    }

    func use(_ settings: LogSettings) { levels.use(settings) }

    var lostLines: Int { lost() }

    func log(event: LogEvent) {
        let all =
            metadata
            .merging(metadataProvider?.get() ?? [:]) { _, new in new }
            .merging(event.metadata ?? [:]) { _, new in new }
        let line = LogLine(
            time: now(),
            level: event.level,
            label: label,
            message: event.message.description,
            error: event.error.map { "\($0)" },
            metadata: all.sorted { $0.key < $1.key }
        )
        // Written as a whole: lines of several threads do not mix.
        write(line.written(as: format) + "\n")
    }
}
