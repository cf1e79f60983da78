import Dispatch
import Glibc
import Synchronization
import Time
import Upstream

/// Whole lines on their way to a file, written on a thread of their own: a full disk or a stalled reader never blocks
/// the caller. Lines that do not fit or cannot be written are lost and counted.
public final class LineQueue: Sendable {
    /// What was queued and is not in the file.
    public struct Loss: Sendable, Equatable {
        public var lines: Int
        public var bytes: Int
    }

    private static let lineEnd = UInt8(ascii: "\n")

    private let queue = DispatchQueue(label: "gatehouse.lines")
    private let bound: Int
    private let notice: (@Sendable (Int) -> [UInt8])?
    private let output: @Sendable ([UInt8]) -> Int
    private let waiting = Atomic<Int>(0)
    private let lostLines = Atomic<Int>(0)
    private let lostBytes = Atomic<Int>(0)
    /// Lost lines that were not reported yet.
    private let unreported = Atomic<Int>(0)
    /// Whether the file ends within a line. Accessed only on the queue's thread.
    private let isTorn = Atomic<Bool>(false)

    /// - Parameters:
    ///   - bound: Bytes that may be queued.
    ///   - notice: Makes the line that reports how many were lost, written once when writing resumes; nil for none.
    ///   - output: Writes, however long it takes, and returns how many bytes were written; fewer than all means that no
    ///     more can be written.
    public init(
        bound: Int,
        notice: (@Sendable (Int) -> [UInt8])? = nil,
        output: @escaping @Sendable ([UInt8]) -> Int
    ) {
        self.bound = bound
        self.notice = notice
        self.output = output
    }

    /// - Parameters:
    ///   - descriptor: Stays open.
    ///   - bound: Bytes that may be queued.
    ///   - notice: As above.
    public convenience init(to descriptor: CInt, bound: Int, notice: (@Sendable (Int) -> [UInt8])? = nil) {
        self.init(bound: bound, notice: notice, output: { LineQueue.write($0, to: descriptor) })
    }

    public var lost: Loss {
        Loss(lines: lostLines.load(ordering: .relaxed), bytes: lostBytes.load(ordering: .relaxed))
    }

    /// Returns at once.
    ///
    /// - Parameter lines: Whole lines, each with its end.
    public func add(_ lines: [UInt8]) {
        guard waiting.add(lines.count, ordering: .relaxed).newValue <= bound else {
            waiting.subtract(lines.count, ordering: .relaxed)
            lose(lines[...])
            return
        }
        queue.async {
            self.deliver(lines)
            self.waiting.subtract(lines.count, ordering: .relaxed)
        }
    }

    /// Returns when everything queued before is written or lost, or after `limit`. No thread is blocked.
    ///
    /// - Returns: Whether nothing queued before is still waiting.
    @discardableResult
    public func flush(within limit: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            let result = FirstResult(continuation)
            queue.async {
                self.tellLoss()
                result.give(true)
            }
            let end = DispatchTime.now() + .nanoseconds(Int(clamping: limit.nanosecondsClamped))
            DispatchQueue.global().asyncAfter(deadline: end) { result.give(false) }
        }
    }

    // MARK: On the queue's thread

    private func deliver(_ lines: [UInt8]) {
        tellLoss()
        let written = write(lines)
        if written < lines.count { lose(lines[written...]) }
    }

    private func tellLoss() {
        guard let notice else { return }
        let count = unreported.exchange(0, ordering: .relaxed)
        guard count > 0 else { return }
        let line = notice(count)
        // A notice that cannot be written now is written later, with the lines lost until then.
        if write(line) < line.count { unreported.add(count, ordering: .relaxed) }
    }

    /// Returns how many bytes were written. A torn line is ended first, so that it does not spoil the next.
    private func write(_ lines: [UInt8]) -> Int {
        if isTorn.load(ordering: .relaxed) {
            guard output([Self.lineEnd]) == 1 else { return 0 }
            isTorn.store(false, ordering: .relaxed)
        }
        let written = output(lines)
        if written > 0, lines[written - 1] != Self.lineEnd { isTorn.store(true, ordering: .relaxed) }
        return written
    }

    private func lose(_ rest: ArraySlice<UInt8>) {
        let lines = rest.count { $0 == Self.lineEnd }
        lostLines.add(lines, ordering: .relaxed)
        lostBytes.add(rest.count, ordering: .relaxed)
        unreported.add(lines, ordering: .relaxed)
    }

    /// Returns how many bytes were written before an error.
    private static func write(_ lines: [UInt8], to descriptor: CInt) -> Int {
        lines.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count, let base = buffer.baseAddress {
                let count = Glibc.write(descriptor, base + written, buffer.count - written)
                if count > 0 {
                    written += count
                } else if count < 0, errno == EINTR {
                    continue
                } else if count < 0, errno == EAGAIN, waitUntilWritable(descriptor) {
                    // Another process with the same terminal or pipe may have made it non-blocking for all.
                    continue
                } else {
                    break
                }
            }
            return written
        }
    }

    /// Returns whether to try again.
    private static func waitUntilWritable(_ descriptor: CInt) -> Bool {
        var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&poller, 1, -1) > 0 || errno == EINTR
    }
}

/// Resumes its continuation with the first of several results; later ones are ignored.
private final class FirstResult: Sendable {
    private let waiting: Mutex<CheckedContinuation<Bool, Never>?>

    init(_ continuation: CheckedContinuation<Bool, Never>) {
        waiting = Mutex(continuation)
    }

    func give(_ value: Bool) {
        let first = waiting.withLock { waiting -> CheckedContinuation<Bool, Never>? in
            defer { waiting = nil }
            return waiting
        }
        first?.resume(returning: value)
    }
}
