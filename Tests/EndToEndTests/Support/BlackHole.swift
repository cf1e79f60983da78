import Glibc

/// A loopback port on which connecting hangs: it listens with a full accept queue, and never accepts. The kernel then
/// drops every further SYN.
final class BlackHole: Sendable {
    struct NotOpened: Error {}

    let port: Int
    private let descriptors: [Int32]

    init() throws {
        var descriptors: [Int32] = []
        func open() throws -> Int32 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            guard descriptor >= 0 else { throw NotOpened() }
            descriptors.append(descriptor)
            return descriptor
        }
        do {
            let listener = try open()
            guard let address = Loopback.bind(listener), listen(listener, 0) == 0 else { throw NotOpened() }
            // A queue for 0 connections holds one.
            guard Loopback.connect(try open(), to: address) else { throw NotOpened() }
            port = Int(UInt16(bigEndian: address.sin_port))
        } catch {
            for descriptor in descriptors { close(descriptor) }
            throw error
        }
        self.descriptors = descriptors
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}

/// Plain socket calls, for tests where a channel does too much.
enum Loopback {
    static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        return address
    }

    /// Binds to a free port; nil when that fails.
    static func bind(_ descriptor: Int32) -> sockaddr_in? {
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                Glibc.bind(descriptor, generic, length) == 0 && getsockname(descriptor, generic, &length) == 0
            }
        }
        return bound ? address : nil
    }

    /// Returns whether it connected. Blocks only if the listener's queue is full.
    static func connect(_ descriptor: Int32, to address: sockaddr_in) -> Bool {
        var address = address
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                Glibc.connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
