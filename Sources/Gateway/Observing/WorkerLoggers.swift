import Logging

/// What a loop tells of, each with the logger of its module. Made once: to make one takes an allocation.
struct WorkerLoggers {
    let backends: Logger
    let clients: Logger
    let observe: Logger
    let refresh: Logger
    let tls: Logger

    init(_ logger: Logger) {
        backends = logger.of(.backends)
        clients = logger.of(.clients)
        observe = logger.of(.observe)
        refresh = logger.of(.refresh)
        tls = logger.of(.tls)
    }
}
