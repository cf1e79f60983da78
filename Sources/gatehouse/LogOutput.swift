import Logging
import Tenants

/// Makes loggers as `gateway.log` asks for them; all write to standard error.
enum LogOutput {
    static func logger(_ settings: LogSettings) -> Logger {
        let levels = LogLevels(settings)
        return Logger(label: "gatehouse") { label in
            LineLogHandler(label: label, format: settings.format, levels: levels)
        }
    }
}
