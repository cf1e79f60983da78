import Glibc
import NIOCore
package import Tenants

extension CommandFailure {
    /// The gateway did not start, or stopped by itself.
    package init(gateway settings: GatewaySettings, _ error: any Error) {
        guard let error = error as? IOError else {
            self.init("the gateway stopped: \(error)")
            return
        }
        let addresses = (settings.listeners.map(\.address) + [settings.admin?.address].compactMap { $0 })
            .map(\.description).joined(separator: ", ")
        let remedy =
            switch error.errnoCode {
            case EADDRINUSE: "stop what listens there, or change gateway.listen or gateway.admin"
            case EACCES: "ports below 1024 need root or CAP_NET_BIND_SERVICE"
            case EADDRNOTAVAIL: "no interface of this machine has such an address"
            default: "look at gateway.listen and gateway.admin"
            }
        self.init("cannot listen on \(addresses): \(String(cString: strerror(error.errnoCode))); \(remedy)")
    }
}
