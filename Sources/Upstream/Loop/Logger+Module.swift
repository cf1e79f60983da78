public import Logging
public import Tenants

/// A handler whose messages are told apart by module.
public protocol ModuleLogHandler: LogHandler {
    /// The same for a module's messages.
    func handler(for module: LogModule) -> any LogHandler

    /// The levels are these from now on, for all that were made of one another.
    func use(_ settings: LogSettings)

    /// Lines that were to be written, and never will be.
    var lostLines: Int { get }
}

extension Logger {
    /// The logger of a module; this one itself where its handler knows of none.
    package func of(_ module: LogModule) -> Logger {
        guard let handler = handler as? any ModuleLogHandler else { return self }
        return Logger(label: module.label) { _ in handler.handler(for: module) }
    }

    /// The levels are these from now on, as far as the handler knows of modules.
    package func use(_ settings: LogSettings) { (handler as? any ModuleLogHandler)?.use(settings) }

    /// Lines that were to be written, and never will be, as far as the handler counts them.
    package var lostLines: Int { (handler as? any ModuleLogHandler)?.lostLines ?? 0 }
}
