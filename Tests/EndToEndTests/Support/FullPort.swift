import Glibc

/// A loopback port whose queue of connections is full, so that a further one is neither accepted nor refused.
final class FullPort: Sendable {
    struct NotFull: Error {}

    let port: Int
    private let listener: Int32
    private let clients: [Int32]

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var clients: [Int32] = []
        let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard bind(listener, generic, length) == 0, listen(listener, 0) == 0,
                    getsockname(listener, generic, &length) == 0
                else { return false }
                // One more than fits is left in the middle of its handshake, and so is whatever comes after it.
                for _ in 0..<4 {
                    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
                    clients.append(client)
                    _ = connect(client, generic, length)
                }
                return true
            }
        }
        self.listener = listener
        self.clients = clients
        port = Int(UInt16(bigEndian: address.sin_port))
        guard listener >= 0, isOpen else { throw NotFull() }
    }

    deinit {
        for descriptor in clients + [listener] { close(descriptor) }
    }
}
