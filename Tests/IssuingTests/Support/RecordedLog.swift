import Logging
import Synchronization

/// What was said in the log.
final class RecordedLog: Sendable {
    private let events = Mutex<[String]>([])

    /// Level, message and metadata of each event, in order.
    var lines: [String] { events.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let words = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
            log.events.withLock { $0.append("\(event.level) \(event.message)\(words.joined())") }
        }
    }
}
