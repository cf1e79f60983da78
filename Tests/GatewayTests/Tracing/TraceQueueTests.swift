import Counting
import TestSupport
import Testing
import Time

@testable import Gateway
@testable import Proxy

struct TraceQueueTests {
    private static let second: UInt64 = 1_000_000_000

    private func traces(_ count: Int) -> [FinishedTrace] {
        (0..<count).map { FinishedTrace(traceHigh: 1, traceLow: UInt64($0), spans: []) }
    }

    @Test func acceptedTracesAreSentOnce() throws {
        var queue = TraceQueue()
        queue.add(traces(TraceQueue.mostAtOnce + 3))
        for expected in [TraceQueue.mostAtOnce, 3] {
            let batch = try #require(queue.batch(at: 1))
            #expect(batch.count == expected)
            queue.settle(batch.count, .taken, at: 1)
        }
        #expect(queue.batch(at: 1) == nil && queue.isEmpty)
        #expect(queue.counts == TraceCounts(sent: UInt64(TraceQueue.mostAtOnce + 3), dropped: 0))
    }

    @Test func tracesBeyondTheLimitAreCounted() {
        var queue = TraceQueue()
        queue.add(traces(TraceQueue.mostWaiting - 1))
        queue.add(traces(5))
        #expect(queue.counts.dropped == 4)
        queue.giveUp()
        #expect(queue.isEmpty)
        #expect(queue.counts == TraceCounts(sent: 0, dropped: UInt64(TraceQueue.mostWaiting + 4)))
    }

    @Test func failedTracesAreRetriedWithBackoff() throws {
        var queue = TraceQueue()
        queue.add(traces(2))
        var now = MonotonicTime.after(Self.second)
        for rest in [1, 2, 4, 8] as [UInt64] {
            #expect(queue.batch(at: now)?.count == 2)
            queue.settle(2, .failed, at: now)
            #expect(queue.batch(at: now + rest * Self.second - 1) == nil)
            now += rest * Self.second
        }
        #expect(queue.batch(at: now)?.count == 2)
        queue.settle(2, .taken, at: now)
        #expect(queue.counts.sent == 2 && queue.counts.dropped == 0)
        queue.add(traces(1))
        #expect(queue.batch(at: now)?.count == 1)
    }

    @Test func tracesFailingForAMinuteAreDropped() throws {
        var queue = TraceQueue()
        queue.add(traces(TraceQueue.mostAtOnce * 2))
        queue.settle(TraceQueue.mostAtOnce, .failed, at: .after(10 * Self.second))
        queue.settle(TraceQueue.mostAtOnce, .failed, at: .after(69 * Self.second))
        #expect(queue.counts.dropped == 0)
        queue.settle(TraceQueue.mostAtOnce, .failed, at: .after(70 * Self.second))
        #expect(queue.counts.dropped == UInt64(TraceQueue.mostAtOnce))
        let next = try #require(queue.batch(at: .after(200 * Self.second)))
        #expect(next.first?.traceLow == UInt64(TraceQueue.mostAtOnce))
    }

    @Test func refusedTracesAreDropped() {
        var queue = TraceQueue()
        queue.add(traces(3))
        queue.settle(3, .refused, at: 1)
        #expect(queue.isEmpty)
        #expect(queue.counts == TraceCounts(sent: 0, dropped: 3))
    }

    @Test func lastAttemptDoesNotWait() {
        var queue = TraceQueue()
        queue.add(traces(1))
        queue.settle(1, .failed, at: 1)
        #expect(queue.batch(at: 2) == nil)
        #expect(queue.batch(at: 2, isLast: true)?.count == 1)
    }
}
