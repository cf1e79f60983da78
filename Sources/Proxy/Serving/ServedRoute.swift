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

    init(_ runtime: RouteRuntime) {
        self.runtime = runtime
        isAnsweredHere = runtime.route.forwarding == nil
        overrides = runtime.route.forwarding.flatMap(BackendOverrides.init)
    }

    var route: Route { runtime.route }
}
