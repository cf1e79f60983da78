import CommandSupport
import Glibc

/// A free loopback port, which nobody else is given until this value is gone; the demo's own listener may take it.
final class PortReservation {
    let port: Int
    private let descriptor: CInt

    init() throws(CommandFailure) {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw CommandFailure("no socket: \(String(cString: strerror(errno)))") }
        var yes: CInt = 1
        // Listeners set one of them, and only get a port whose other sockets have it too.
        for option in [SO_REUSEADDR, SO_REUSEPORT] {
            setsockopt(descriptor, SOL_SOCKET, option, &yes, socklen_t(MemoryLayout<CInt>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let failed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) != 0 || getsockname(descriptor, $0, &length) != 0
            }
        }
        guard !failed else {
            close(descriptor)
            throw CommandFailure("no free port: \(String(cString: strerror(errno)))")
        }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
}
