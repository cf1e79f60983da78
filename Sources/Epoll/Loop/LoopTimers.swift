import NIOCore

/// What a loop does at some time.
///
/// `@unchecked Sendable`: its properties change on the loop's own thread alone.
final class LoopTimer: @unchecked Sendable {
    enum Outcome {
        case due
        /// The loop stops before.
        case stopped
    }

    let deadline: NIODeadline
    private var action: ((Outcome) -> Void)?
    /// Where it is in the heap; nil when it is in none.
    fileprivate var index: Int?

    init(_ deadline: NIODeadline, _ action: @escaping (Outcome) -> Void) {
        self.deadline = deadline
        self.action = action
    }

    /// Lets go of what it would do: that may well hold the timer.
    func forget() { action = nil }

    /// Does once what it is for.
    func fire(_ outcome: Outcome) {
        guard let action else { return }
        self.action = nil
        action(outcome)
    }
}

/// The timers of a loop as a binary heap; each knows where it is, so that one that is cancelled goes at once.
struct LoopTimers {
    private var heap: [LoopTimer] = []

    var isEmpty: Bool { heap.isEmpty }

    /// The deadline that is next.
    var first: NIODeadline? { heap.first?.deadline }

    mutating func add(_ timer: LoopTimer) {
        assert(timer.index == nil)
        timer.index = heap.count
        heap.append(timer)
        rise(from: heap.count - 1)
    }

    /// Does nothing if the timer is not among them any more.
    mutating func remove(_ timer: LoopTimer) {
        guard let index = timer.index else { return }
        timer.index = nil
        let last = heap.removeLast()
        guard index < heap.count else { return }
        heap[index] = last
        last.index = index
        rise(from: index)
        sink(from: last.index ?? index)
    }

    mutating func takeFirst(by now: NIODeadline) -> LoopTimer? {
        guard let timer = heap.first, timer.deadline <= now else { return nil }
        remove(timer)
        return timer
    }

    private mutating func rise(from start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].deadline < heap[parent].deadline else { return }
            exchange(index, parent)
            index = parent
        }
    }

    private mutating func sink(from start: Int) {
        var index = start
        while true {
            var earliest = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && heap[child].deadline < heap[earliest].deadline {
                earliest = child
            }
            guard earliest != index else { return }
            exchange(index, earliest)
            index = earliest
        }
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        heap[one].index = one
        heap[other].index = other
    }
}
