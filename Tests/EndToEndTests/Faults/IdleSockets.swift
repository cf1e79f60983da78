import Glibc
import Synchronization

/// Connections to a loopback port on which nothing is ever sent.
final class IdleSockets: Sendable {
    struct NotOpened: Error {
        var number: Int
        var errno: Int32
    }

    private let descriptors: Mutex<[Int32]>

    init(count: Int, port: Int) throws {
        let address = Loopback.address(port: port)
        var descriptors: [Int32] = []
        descriptors.reserveCapacity(count)
        while descriptors.count < count {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            if descriptor >= 0 { descriptors.append(descriptor) }
            guard descriptor >= 0, Loopback.connect(descriptor, to: address) else {
                let failure = NotOpened(number: descriptors.count, errno: errno)
                for descriptor in descriptors { Glibc.close(descriptor) }
                throw failure
            }
        }
        self.descriptors = Mutex(descriptors)
    }

    deinit {
        close()
    }

    func close() {
        let closing = descriptors.withLock { descriptors in
            defer { descriptors = [] }
            return descriptors
        }
        for descriptor in closing { Glibc.close(descriptor) }
    }
}

/// How many files this process may open (RLIMIT_NOFILE).
enum OpenFiles {
    /// The number of connections of which this process can hold both ends: at most half of its files, since other tests
    /// run meanwhile. Raises the limit as far as it goes.
    static func limit(for wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        limit.rlim_cur = limit.rlim_max
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return min(wanted, Int(clamping: limit.rlim_max) / 4)
    }
}
