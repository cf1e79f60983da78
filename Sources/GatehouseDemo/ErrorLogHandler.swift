import Logging

/// Writes errors to standard error, and nothing less: not even the changes made by the admin API, which the gateway logs
/// at any level.
struct ErrorLogHandler: LogHandler {
    private var handler: StreamLogHandler

    init(label: String) {
        handler = StreamLogHandler.standardError(label: label)
    }

    var logLevel: Logger.Level {
        get { .error }
        set {}
    }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.level >= .error else { return }
        handler.log(event: event)
    }
}
