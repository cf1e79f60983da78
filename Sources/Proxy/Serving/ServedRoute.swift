import Authorization
import Tenants
import Upstream

/// A route on one event loop: how its requests are forwarded.
package final class ServedRoute {
    let runtime: RouteRuntime
    /// Nil if its backends decide everything.
    let overrides: BackendOverrides?

    /// Whether the gateway answers its requests.
    let isAnsweredHere: Bool
    /// Nil if its requests are not copied.
    let mirror: RouteForwarding.Mirror?

    init(_ runtime: RouteRuntime) {
        self.runtime = runtime
        isAnsweredHere = runtime.route.forwarding == nil
        mirror = runtime.route.forwarding?.mirror
        overrides = runtime.route.forwarding.flatMap(BackendOverrides.init)
    }

    var route: Route { runtime.route }
}
