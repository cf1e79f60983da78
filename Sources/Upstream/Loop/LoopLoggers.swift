package import Logging

/// A loop's loggers, one per module. Made once: making one allocates.
package struct LoopLoggers {
    package let backends: Logger
    package let clients: Logger
    package let observe: Logger
    package let refresh: Logger
    package let tls: Logger

    init(_ logger: Logger) {
        backends = logger.of(.backends)
        clients = logger.of(.clients)
        observe = logger.of(.observe)
        refresh = logger.of(.refresh)
        tls = logger.of(.tls)
    }
}
