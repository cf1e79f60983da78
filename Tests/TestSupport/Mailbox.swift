package import NIOCore
import NIOPosix
import Synchronization

/// Values handed from event loops and tasks to a waiting test, in order. Every wait is bounded, so that a program that
/// says nothing fails its test instead of hanging the suite.
package final class Mailbox<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var waiters: [EventLoopPromise<Value>] = []
        var end: (any Error)?
    }

    private let what: String
    private let state = Mutex(State())

    /// - Parameter what: Named when a wait is given up.
    package init(_ what: String) {
        self.what = what
    }

    package func put(_ value: Value) {
        let waiter = state.withLock { state -> EventLoopPromise<Value>? in
            guard state.end == nil else { return nil }
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.values.append(value)
            return nil
        }
        waiter?.succeed(value)
    }

    /// Ends the mailbox: pending values can still be taken, then every wait throws `end`. Only the first call counts.
    package func finish(_ end: any Error) {
        let waiters = state.withLock { state -> [EventLoopPromise<Value>] in
            guard state.end == nil else { return [] }
            state.end = end
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.fail(end) }
    }

    /// The next value without waiting; nil if there is none.
    package func takeReady() -> Value? {
        state.withLock { $0.values.isEmpty ? nil : $0.values.removeFirst() }
    }

    package func next(within limit: TimeAmount = .patience) async throws -> Value {
        let promise = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Value.self)
        let ready = state.withLock { state -> Result<Value, any Error>? in
            if !state.values.isEmpty { return .success(state.values.removeFirst()) }
            if let end = state.end { return .failure(end) }
            state.waiters.append(promise)
            return nil
        }
        if let ready { promise.completeWith(ready) }
        return try await promise.futureResult.bounded(what, within: limit)
    }
}

/// The peer sent its last byte.
package struct EndOfStream: Error {
    package init() {}
}

/// A wait was given up.
package struct NothingCame: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) {
        self.description = description
    }
}

extension TimeAmount {
    /// Far beyond what a loaded machine needs; only ever used up by a test that fails.
    package static let patience = TimeAmount.seconds(20)
}

extension EventLoopFuture where Value: Sendable {
    /// The value, or ``NothingCame`` when it takes longer than `limit`.
    package func bounded(_ what: String, within limit: TimeAmount = .patience) async throws -> Value {
        let promise = eventLoop.makePromise(of: Value.self)
        let timer = eventLoop.scheduleTask(in: limit) {
            promise.fail(NothingCame(description: "waited in vain for \(what)"))
        }
        whenComplete { result in
            timer.cancel()
            promise.completeWith(result)
        }
        return try await promise.futureResult.get()
    }
}
