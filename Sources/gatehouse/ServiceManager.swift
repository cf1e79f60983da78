import FoundationEssentials
import Glibc
import Synchronization

/// The service manager that started the process and expects notifications, as in sd_notify(3): datagrams to the socket
/// in `NOTIFY_SOCKET`. Nothing depends on it: undeliverable ones are dropped.
struct ServiceManager: Sendable {
    enum Notice: Sendable {
        /// Everything is open, after the start or after a reload.
        case ready(status: String)
        case reloading
        case stopping
        /// Nothing hangs.
        case alive
    }

    /// How often it expects ``Notice/alive``, at least; nil for never.
    let watchdogInterval: Duration?
    private let address: [UInt8]?
    private let sent = Sent()

    private final class Sent: Sendable {
        let isReady = Atomic<Bool>(false)
    }

    /// Whether the manager was notified that everything is open.
    var wasNotifiedOfReadiness: Bool { sent.isReady.load(ordering: .acquiring) }

    /// - Parameters:
    ///   - environment: With `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    ///   - process: The process's own identifier: a watchdog may be for another one.
    init(environment: [String: String] = ProcessInfo.processInfo.environment, process: pid_t = getpid()) {
        address = environment["NOTIFY_SOCKET"].flatMap(Self.address)
        let isForUs = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
        let interval = environment["WATCHDOG_USEC"].flatMap(Int64.init).flatMap { $0 > 0 ? $0 : nil }
        watchdogInterval = address != nil && isForUs ? interval.map { .microseconds($0) } : nil
    }

    func notify(_ notice: Notice) {
        guard let address else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let message = Array(Self.text(notice).utf8)
        address.withUnsafeBytes { address in
            guard let address = address.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
            // Does not wait: a manager that does not read must not block the gateway.
            _ = sendto(descriptor, message, message.count, Int32(MSG_DONTWAIT), address, self.length)
        }
        if case .ready = notice { sent.isReady.store(true, ordering: .releasing) }
    }

    private var length: socklen_t { socklen_t(address?.count ?? 0) }

    private static func text(_ notice: Notice) -> String {
        switch notice {
        case .ready(let status): "READY=1\nSTATUS=\(status.split(whereSeparator: \.isNewline).joined(separator: " "))"
        // A manager matches it with the following READY=1 by its time.
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(microsecondsSinceBoot())\nSTATUS=Reloading"
        case .stopping: "STOPPING=1\nSTATUS=Finishing what is under way"
        case .alive: "WATCHDOG=1"
        }
    }

    private static func microsecondsSinceBoot() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }

    /// The bytes of a `sockaddr_un`; nil for an invalid address. A name that begins with `@` is in the abstract
    /// namespace, where the first byte is 0 and the length defines the end of the name.
    private static func address(_ name: String) -> [UInt8]? {
        var path = Array(name.utf8)
        switch path.first {
        case UInt8(ascii: "/"): path.append(0)
        case UInt8(ascii: "@"): path[0] = 0
        default: return nil
        }
        guard path.count > 1, path.count <= MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
        return withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) } + path
    }
}
