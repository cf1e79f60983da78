package import Tenants

/// What a route says in place of its backend's settings.
package final class BackendOverrides {
    /// Nil: the backend's.
    let retries: Retries?
    /// In nanoseconds; nil: the backend's.
    let responseTimeout: UInt64?

    /// Nil if the route leaves all to the backend.
    package init?(_ forwarding: RouteForwarding) {
        guard forwarding.retries != nil || forwarding.responseTimeout != nil else { return nil }
        retries = forwarding.retries.map(Retries.init)
        responseTimeout = forwarding.responseTimeout?.nanosecondsClamped
    }
}
