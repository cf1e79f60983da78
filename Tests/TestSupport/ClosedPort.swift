import Glibc

/// A loopback port that is bound but not listened on, so that connecting is refused and no other process takes it.
package final class ClosedPort: Sendable {
    package struct NotBound: Error {}

    package let port: Int
    private let descriptor: Int32

    package init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 && getsockname(descriptor, generic, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard descriptor >= 0, bound else { throw NotBound() }
    }

    deinit {
        close(descriptor)
    }
}
