import Testing

@testable import Store

@Suite struct EventSignalTests {
    @Test func eventBetweenCheckAndWaitEndsTheWait() async {
        let signal = EventSignal()
        let count = signal.count
        signal.notify()
        await signal.wait(past: count, for: .seconds(600))
        #expect(signal.count == count + 1)
    }

    @Test func eventWakesAllWaiters() async {
        let signal = EventSignal()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { await signal.wait(past: 0, for: .seconds(600)) } }
            group.addTask { signal.notify() }
        }
        #expect(signal.count == 1)
    }

    @Test func waitEndsAfterItsDuration() async {
        let signal = EventSignal()
        await signal.wait(past: 0, for: .milliseconds(1))
        await signal.wait(past: 0, for: .zero)
        await signal.wait(past: 0, for: .seconds(-1))
        #expect(signal.count == 0)
    }

    @Test func cancellationEndsTheWait() async {
        let signal = EventSignal()
        let waiting = Task { await signal.wait(past: 0, for: .seconds(600)) }
        waiting.cancel()
        await waiting.value
        #expect(signal.count == 0)
    }
}

@Suite struct TimeLimitTests {
    @Test func workDoneInTimeReturnsItsResult() async throws {
        #expect(try await within(.seconds(600)) { 5 } == 5)
        await #expect(throws: StoreError.garbled("x")) {
            try await within(.seconds(600)) { () async throws(StoreError) -> Int in throw .garbled("x") }
        }
    }

    @Test func overdueWorkIsCancelledAndAbandoned() async {
        let signal = EventSignal()
        let ended = EventSignal()
        let error = await #expect(throws: StoreError.self) {
            try await within(.milliseconds(1)) {
                await signal.wait(past: 0, for: .seconds(600))
                ended.notify()
            }
        }
        guard case .unavailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await ended.wait(past: 0, for: .seconds(600))
        #expect(ended.count == 1)
    }

    @Test func cancelledCallerReturnsAtOnce() async {
        let signal = EventSignal()
        let caller = Task { try await within(.seconds(600)) { await signal.wait(past: 0, for: .seconds(600)) } }
        caller.cancel()
        await #expect(throws: StoreError.self) { try await caller.value }
    }
}

@Suite struct HistoryTests {
    @Test func historyIsReadableFromAnyKeptNumber() {
        var history = History<Int>(limit: 10)
        #expect(history.events(after: 0, count: 5) == [])
        for number in 1...1000 {
            history.append(number)
            #expect(history.last == number)
            for place in max(0, number - 10)...number {
                #expect(
                    history.events(after: place, count: 4).map(Array.init)
                        == Array((place + 1)..<(number + 1)).prefix(4).map(\.self)
                )
            }
            #expect(history.events(after: number + 1, count: 4) == nil)
            #expect(history.events(after: -1, count: 4) == nil)
            if number > 20 { #expect(history.events(after: number - 21, count: 4) == nil) }
        }
    }

    @Test func recentEventIsReported() {
        let signal = EventSignal()
        #expect(!signal.wasNotified(within: .seconds(3600)))
        signal.notify()
        #expect(signal.wasNotified(within: .seconds(3600)))
        #expect(!signal.wasNotified(within: .zero))
    }
}
