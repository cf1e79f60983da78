import NIOCore
import Synchronization
import Testing

@testable import Epoll

@Suite struct EpollLoopTests {
    private func withLoop(_ body: (EpollLoop) async throws -> Void) async throws {
        let group = try EpollLoopGroup(count: 1)
        try await body(try #require(group.loops.first))
        try await group.shutdownGracefully()
    }

    @Test func tasksOfOtherThreadsRunInOrderOnTheLoop() async throws {
        try await withLoop { loop in
            let order = Mutex<[Int]>([])
            for number in 0..<1_000 {
                loop.execute {
                    #expect(loop.inEventLoop)
                    order.withLock { $0.append(number) }
                }
            }
            try await loop.submit {}.get()
            #expect(order.withLock { $0 } == Array(0..<1_000))
            #expect(!loop.inEventLoop)
        }
    }

    /// Posts race with the loop's going to sleep; none is left until the next one.
    @Test func noTaskIsForgottenWhenTheLoopGoesToSleep() async throws {
        try await withLoop { loop in
            for _ in 0..<5_000 { try await loop.submit {}.get() }
        }
    }

    @Test func taskThatIsAddedByATaskRunsAfterIt() async throws {
        try await withLoop { loop in
            let order = Mutex<[String]>([])
            try await loop.submit {
                loop.execute { order.withLock { $0.append("later") } }
                order.withLock { $0.append("first") }
            }.get()
            try await loop.submit {}.get()
            #expect(order.withLock { $0 } == ["first", "later"])
        }
    }

    @Test func timersFireInOrder() async throws {
        try await withLoop { loop in
            let order = Mutex<[Int]>([])
            let now = NIODeadline.now()
            let late = loop.scheduleTask(deadline: now + .milliseconds(20)) { order.withLock { $0.append(2) } }
            let soon = loop.scheduleTask(deadline: now + .milliseconds(10)) { order.withLock { $0.append(1) } }
            try await late.futureResult.get()
            try await soon.futureResult.get()
            #expect(order.withLock { $0 } == [1, 2])
            #expect(NIODeadline.now() >= now + .milliseconds(20))
        }
    }

    @Test func cancelledTimerDoesNotFire() async throws {
        try await withLoop { loop in
            let hasFired = Mutex(false)
            let cancelled = loop.scheduleTask(in: .milliseconds(10)) { hasFired.withLock { $0 = true } }
            cancelled.cancel()
            let after = loop.scheduleTask(in: .milliseconds(20)) {}
            try await after.futureResult.get()
            #expect(!hasFired.withLock { $0 })
            await #expect(throws: EventLoopError.self) { try await cancelled.futureResult.get() }
        }
    }

    @Test func cancelledTimerLetsGoOfWhatItWouldHaveDone() async throws {
        final class Held: Sendable {}
        try await withLoop { loop in
            weak var held: Held?
            let timer: Scheduled<Void>
            do {
                let object = Held()
                held = object
                timer = loop.scheduleTask(in: .hours(1)) { withExtendedLifetime(object) {} }
            }
            try await loop.submit {}.get()
            #expect(held != nil)
            timer.cancel()
            try await loop.submit {}.get()
            #expect(held == nil)
        }
    }

    @Test func timersOfALoopThatEndsFail() async throws {
        let group = try EpollLoopGroup(count: 2)
        let failures = Mutex(0)
        for loop in group.loops {
            let timer = loop.scheduleTask(in: .hours(1)) {}
            timer.futureResult.whenFailure { _ in failures.withLock { $0 += 1 } }
        }
        try await group.shutdownGracefully()
        #expect(failures.withLock { $0 } == 2)
    }

    @Test func endingAGroupTwiceIsHarmless() async throws {
        let group = try EpollLoopGroup(count: 2)
        try await group.shutdownGracefully()
        try await group.shutdownGracefully()
    }
}
