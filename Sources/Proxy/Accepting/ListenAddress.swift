import Glibc
import NIOCore
package import Tenants

/// An address that is to be listened on.
package enum ListenAddress {
    /// Whether something listens there already, as a socket without `SO_REUSEPORT` is told.
    ///
    /// Nothing is listened on for the question: a client that connected to such a listener would be reset with its end.
    /// - Returns: False also if it cannot be found out; the listener itself meets the error.
    package static func isTaken(_ address: HostPort) -> Bool {
        guard
            address.port != 0,
            let resolved = try? SocketAddress.makeAddressResolvingHost(address.host, port: address.port)
        else { return false }
        let descriptor = socket(CInt(resolved.protocol.rawValue), CInt(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Passes over connections of an earlier run in TIME_WAIT, but not over a listener.
        var yes: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        return resolved.withSockAddr { Glibc.bind(descriptor, $0, socklen_t($1)) } != 0 && errno == EADDRINUSE
    }
}
