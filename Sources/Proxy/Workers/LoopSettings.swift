import HTTPCore
import Tenants
import Time

/// The gateway's settings in the form that an event loop uses.
struct LoopSettings {
    let gateway: GatewaySettings
    let parser: RequestHeadParser
    /// Nanoseconds.
    let idleTimeout: UInt64
    let headerTimeout: UInt64

    init(_ gateway: GatewaySettings) {
        self.gateway = gateway
        let limits = gateway.limits
        parser = RequestHeadParser(maximumBytes: limits.headerBytes, maximumFields: limits.headers)
        idleTimeout = limits.idleTimeout.nanosecondsClamped
        headerTimeout = limits.headerTimeout.nanosecondsClamped
    }
}
