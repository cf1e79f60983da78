import Tenants

extension ServerPool {
    /// Settings that all servers of a backend share.
    package struct Settings: Equatable {
        package var responseTimeout: UInt64
        package let idleTimeout: UInt64
        package let connectTimeout: Duration
        let maximumConnections: Int
        let maximumWaiting: Int

        /// - Parameter loops: How many event loops share the limits.
        init(_ backend: Backend, loops: Int) {
            responseTimeout = backend.timeouts.response.nanosecondsClamped
            idleTimeout = backend.timeouts.idle.nanosecondsClamped
            connectTimeout = backend.timeouts.connect
            maximumConnections = (backend.limits.connections + loops - 1) / loops
            maximumWaiting = (backend.limits.pending + loops - 1) / loops
        }
    }

    /// Where WebSockets go, which need HTTP/1.1.
    enum Upgrades {
        /// To this pool.
        case here
        /// To this pool, which carries nothing else.
        case hereAlone
        /// To another pool for the same server: connections of this one may use HTTP/2.
        case elsewhere(ServerPool)
        case nowhere
    }
}
