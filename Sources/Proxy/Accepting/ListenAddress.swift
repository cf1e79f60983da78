import Glibc
import NIOCore
package import Tenants

/// An address to listen on.
package enum ListenAddress {
    /// Whether something already listens there, as bind reports to a socket without `SO_REUSEPORT`.
    ///
    /// The check does not listen itself: a client that connected to such a listener would be reset when it closes.
    /// - Returns: False also if it cannot be found out; the listener itself then meets the error.
    package static func isTaken(_ address: HostPort) -> Bool {
        guard
            address.port != 0,
            let resolved = try? SocketAddress.makeAddressResolvingHost(address.host, port: address.port)
        else { return false }
        let descriptor = socket(CInt(resolved.protocol.rawValue), CInt(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Ignores connections of an earlier run in TIME_WAIT, but not a listener.
        var yes: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        return resolved.withSockAddr { Glibc.bind(descriptor, $0, socklen_t($1)) } != 0 && errno == EADDRINUSE
    }
}
