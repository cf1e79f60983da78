import Dispatch
import Glibc
import Synchronization

/// Where access-log lines go.
public enum AccessLogDestination: Sendable {
    case standardOutput
    case discard
    /// Whole lines, several at once.
    case sink(@Sendable ([UInt8]) -> Void)
}

/// Writes log lines on a thread of its own: a full disk or a slow terminal never holds up a request.
final class AccessLogWriter: Sendable {
    /// Lines that may wait to be written, in bytes; what comes on top is lost, and counted.
    private static let bound = 64 << 20

    private let queue = DispatchQueue(label: "gatehouse.access-log")
    private let waiting = Atomic<Int>(0)
    private let lostBytes = Atomic<Int>(0)
    private let destination: AccessLogDestination

    private init(to destination: AccessLogDestination) {
        self.destination = destination
    }

    /// - Returns: Nil where nothing is to be written.
    static func make(_ destination: AccessLogDestination) -> AccessLogWriter? {
        if case .discard = destination { nil } else { AccessLogWriter(to: destination) }
    }

    /// Bytes of lines that were lost because the destination could not keep up.
    var lost: Int { lostBytes.load(ordering: .relaxed) }

    func write(_ lines: [UInt8]) {
        guard waiting.add(lines.count, ordering: .relaxed).newValue <= Self.bound else {
            waiting.subtract(lines.count, ordering: .relaxed)
            lostBytes.add(lines.count, ordering: .relaxed)
            return
        }
        queue.async {
            self.deliver(lines)
            self.waiting.subtract(lines.count, ordering: .relaxed)
        }
    }

    /// Returns when all that was handed over before is written.
    func flush() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }

    private func deliver(_ lines: [UInt8]) {
        switch destination {
        case .discard: break
        case .sink(let sink): sink(lines)
        case .standardOutput:
            lines.withUnsafeBytes { buffer in
                var written = 0
                while written < buffer.count, let base = buffer.baseAddress {
                    let count = Glibc.write(STDOUT_FILENO, base + written, buffer.count - written)
                    if count < 0 && errno == EINTR { continue }
                    guard count > 0 else { return }
                    written += count
                }
            }
        }
    }
}
