import Dispatch
import Glibc
import Synchronization
import Time
import Upstream

/// Whole lines on their way to a file, written on a thread of their own: a full disk, or a reader that has stopped,
/// never holds up who has something to say. What finds no room, or cannot be written, is lost and counted.
public final class LineQueue: Sendable {
    /// What was handed over and is not in the file.
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
    /// Lines whose loss was not told yet.
    private let untold = Atomic<Int>(0)
    /// Whether the file ends within a line. Only the queue's thread looks.
    private let isTorn = Atomic<Bool>(false)

    /// - Parameters:
    ///   - bound: Bytes that may wait.
    ///   - notice: The line that says how many were lost, written once when writing goes on; nil: none is.
    ///   - output: Writes, however long it takes, and gives how many bytes were written: fewer than all where no more
    ///     can be.
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
    ///   - bound: Bytes that may wait.
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

    /// Returns when all that was handed over before is written or lost, or when `limit` is over. No thread waits.
    ///
    /// - Returns: Whether nothing waits any more of what was handed over before.
    @discardableResult
    public func flush(within limit: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = FirstAnswer(continuation)
            queue.async {
                self.tellLoss()
                answer.give(true)
            }
            let end = DispatchTime.now() + .nanoseconds(Int(clamping: limit.nanosecondsClamped))
            DispatchQueue.global().asyncAfter(deadline: end) { answer.give(false) }
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
        let count = untold.exchange(0, ordering: .relaxed)
        guard count > 0 else { return }
        let line = notice(count)
        // What cannot be told now is told later, with what is lost until then.
        if write(line) < line.count { untold.add(count, ordering: .relaxed) }
    }

    /// Gives how many bytes were written. A line that was torn before is ended first, so that it spoils no other.
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
        untold.add(lines, ordering: .relaxed)
    }

    /// Gives how many bytes were written before an error ended it.
    private static func write(_ lines: [UInt8], to descriptor: CInt) -> Int {
        lines.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count, let base = buffer.baseAddress {
                let count = Glibc.write(descriptor, base + written, buffer.count - written)
                if count > 0 {
                    written += count
                } else if count < 0, errno == EINTR {
                    continue
                } else if count < 0, errno == EAGAIN, waitForRoom(descriptor) {
                    // Whoever has the same terminal or pipe open may have made it non-blocking for all.
                    continue
                } else {
                    break
                }
            }
            return written
        }
    }

    /// Gives whether to try again.
    private static func waitForRoom(_ descriptor: CInt) -> Bool {
        var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&place, 1, -1) > 0 || errno == EINTR
    }
}

/// Who waits for the first of several answers goes on with it; the others come to nothing.
private final class FirstAnswer: Sendable {
    private let waiting: Mutex<CheckedContinuation<Bool, Never>?>

    init(_ continuation: CheckedContinuation<Bool, Never>) {
        waiting = Mutex(continuation)
    }

    func give(_ answer: Bool) {
        let first = waiting.withLock { waiting -> CheckedContinuation<Bool, Never>? in
            defer { waiting = nil }
            return waiting
        }
        first?.resume(returning: answer)
    }
}
