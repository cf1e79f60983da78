import CEpoll
import Glibc
import NIOCore

/// The system calls that make sockets, with NIO's addresses.
enum SystemSocket {
    /// A TCP socket that does not block and is not handed on to programs that are started.
    ///
    /// - Throws: `IOError`
    static func make(for address: SocketAddress) throws -> CInt {
        let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(CInt(address.protocol.rawValue), type, 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        return descriptor
    }

    static func turnOn(_ option: CInt, level: CInt = SOL_SOCKET, of descriptor: CInt) throws {
        var isOn: CInt = 1
        guard setsockopt(descriptor, level, option, &isOn, socklen_t(MemoryLayout<CInt>.size)) == 0 else {
            throw IOError(errnoCode: errno, reason: "setsockopt")
        }
    }

    static func localAddress(of descriptor: CInt) throws -> SocketAddress {
        var storage = sockaddr_storage()
        let outcome = withAddress(&storage) { getsockname(descriptor, $0, $1) }
        guard outcome == 0 else { throw IOError(errnoCode: errno, reason: "getsockname") }
        guard let address = address(storage) else { throw ChannelError.operationUnsupported }
        return address
    }

    /// Takes a connection that has come.
    ///
    /// - Returns: Its non-blocking socket, or -1 with `errno` set; and the address of the client.
    static func accept(from descriptor: CInt) -> (descriptor: CInt, peer: SocketAddress?) {
        var storage = sockaddr_storage()
        let flags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let accepted = withAddress(&storage) { accept4(descriptor, $0, $1, flags) }
        return (accepted, accepted < 0 ? nil : address(storage))
    }

    private static func withAddress(
        _ storage: inout sockaddr_storage,
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> CInt {
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
    }

    /// - Returns: Nil if it is no IP address.
    private static func address(_ storage: sockaddr_storage) -> SocketAddress? {
        withUnsafeBytes(of: storage) { bytes in
            switch CInt(storage.ss_family) {
            case AF_INET: SocketAddress(bytes.loadUnaligned(as: sockaddr_in.self))
            case AF_INET6: SocketAddress(bytes.loadUnaligned(as: sockaddr_in6.self))
            default: nil
            }
        }
    }
}
