import Logging
import Tenants

/// Makes loggers as `gateway.log` asks for them; all write to standard error.
enum LogOutput {
    static func logger(_ settings: LogSettings) -> Logger {
        var logger = Logger(label: "gatehouse") { label in
            switch settings.format {
            case .json: JSONLogHandler(label: label)
            case .text: StreamLogHandler.standardError(label: label)
            }
        }
        logger.logLevel = level(settings.level)
        return logger
    }

    private static func level(_ level: LogSettings.Level) -> Logger.Level {
        switch level {
        case .trace: .trace
        case .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }
}
