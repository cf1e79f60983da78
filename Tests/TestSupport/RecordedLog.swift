package import Logging
import Synchronization

/// The recorded log.
package final class RecordedLog: Sendable {
    private let level: Logger.Level
    private let events = Mutex<[String]>([])

    /// - Parameter level: The lowest that is recorded.
    package init(from level: Logger.Level = .trace) {
        self.level = level
    }

    /// Level, message and metadata of each event, in order.
    package var lines: [String] { events.withLock { $0 } }

    package var logger: Logger { Logger(label: "test") { _ in Handler(log: self, logLevel: level) } }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level

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
