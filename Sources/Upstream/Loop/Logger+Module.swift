public import Logging
public import Tenants

/// A log handler that has a level per module.
public protocol ModuleLogHandler: LogHandler {
    /// The same handler for a module's messages.
    func handler(for module: LogModule) -> any LogHandler

    /// Sets the levels of this handler and all that share its state.
    func use(_ settings: LogSettings)

    /// Lines that were lost instead of written.
    var lostLines: Int { get }
}

extension Logger {
    /// The logger of a module; this logger itself if its handler has no modules.
    package func of(_ module: LogModule) -> Logger {
        guard let handler = handler as? any ModuleLogHandler else { return self }
        return Logger(label: module.label) { _ in handler.handler(for: module) }
    }

    /// Sets the levels, if the handler has modules.
    package func use(_ settings: LogSettings) { (handler as? any ModuleLogHandler)?.use(settings) }

    /// Lines that were lost instead of written, if the handler counts them.
    package var lostLines: Int { (handler as? any ModuleLogHandler)?.lostLines ?? 0 }
}
