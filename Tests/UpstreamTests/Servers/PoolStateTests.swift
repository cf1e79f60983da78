import TestSupport
import Testing

@testable import Upstream

/// A pool's counts against a model that has the requests and connections themselves.
struct PoolStateTests {
    /// Requests are numbers; each is waiting, served, or failed.
    private struct World {
        var state: PoolState
        let maximum: Int
        let maximumWaiting: Int
        var idle = 0
        var connecting = 0
        var waiting: [Int] = []
        var served: [Int] = []
        /// Connections that waiting requests get at the end of the loop's turn.
        var promised = 0
        var requests = 0
        var refused = 0

        init(maximum: Int, maximumWaiting: Int) {
            state = PoolState(maximumConnections: maximum, maximumWaiting: maximumWaiting)
            self.maximum = maximum
            self.maximumWaiting = maximumWaiting
        }

        var open: Int { idle + connecting + served.count + promised }
        var unpromised: Int { max(0, waiting.count - promised) }

        mutating func arrive() -> String? {
            requests += 1
            switch state.requestArrived() {
            case .useIdle:
                guard idle > 0 else { return "an idle connection was used that is not there" }
                idle -= 1
                served.append(requests)
            case .waitAndConnect:
                guard idle == 0, open < maximum else { return "a connection is opened without need or room" }
                waiting.append(requests)
                connecting += 1
            case .wait:
                guard open == maximum else { return "a request waits though there is room" }
                waiting.append(requests)
            case .refuse:
                guard open == maximum, unpromised >= maximumWaiting else { return "a request is refused too early" }
                refused += 1
            }
            return nil
        }

        mutating func becameFree(_ action: PoolState.ReadyAction) -> String? {
            switch action {
            case .promise:
                guard unpromised > 0 else { return "nobody is there to be served" }
                promised += 1
            case .keepIdle:
                guard unpromised == 0 else { return "a connection idles while someone waits" }
                idle += 1
            }
            return nil
        }

        /// The loop's turn ends.
        mutating func keepPromise() -> String? {
            promised -= 1
            guard waiting.isEmpty else {
                state.promiseKept()
                served.append(waiting.removeFirst())
                return nil
            }
            guard state.promiseWithdrawn() == .nothing else { return "a connection is opened for nobody" }
            return becameFree(state.released())
        }

        /// A promised connection is gone before the loop's turn ends; the pool gets the two events in either order.
        mutating func losePromised(isLossFirst: Bool) {
            promised -= 1
            if isLossFirst, state.busyClosed() == .connect { connecting += 1 }
            switch state.promiseWithdrawn() {
            case .nothing: break
            case .connect: connecting += 1
            case .promiseIdle:
                idle -= 1
                promised += 1
            }
            if !isLossFirst, state.busyClosed() == .connect { connecting += 1 }
        }

        mutating func fail() -> String? {
            connecting -= 1
            let action = state.failedToConnect()
            guard action.failing <= waiting.count else { return "more fail than wait" }
            guard unpromised == 0 || action.failing > 0 else { return "no request fails" }
            waiting.removeFirst(action.failing)
            refused += action.failing
            if action.connects { connecting += 1 }
            guard waiting.isEmpty || connecting + served.count + promised > 0 else {
                return "nothing will come for who waits"
            }
            return nil
        }

        /// One random event among those that can happen.
        mutating func step(_ random: inout SplitMix64) -> String? {
            switch random.below(12) {
            case 0...2: return arrive()
            case 3 where connecting > 0:
                connecting -= 1
                return becameFree(state.connected())
            case 4 where connecting > 0: return fail()
            case 5 where !served.isEmpty:
                served.remove(at: random.below(served.count))
                return becameFree(state.released())
            case 6 where !served.isEmpty:
                served.remove(at: random.below(served.count))
                if state.busyClosed() == .connect { connecting += 1 }
            case 7 where idle > 0:
                idle -= 1
                state.idleClosed()
            case 8 where !waiting.isEmpty:
                waiting.remove(at: random.below(waiting.count))
                refused += 1
                state.waiterLeft()
            case 9...10 where promised > 0: return keepPromise()
            case 11 where promised > 0: losePromised(isLossFirst: random.oneIn(2))
            default: break
            }
            return nil
        }

        var problem: String? {
            guard state.idle == idle, state.busy == served.count + promised, state.connecting == connecting,
                state.waiting == waiting.count, state.promised == promised
            else { return "the numbers are not those of the world" }
            if open > maximum { return "\(open) connections are open" }
            if unpromised > maximumWaiting + connecting { return "\(waiting.count) wait" }
            if unpromised > 0 && idle > 0 { return "someone waits while a connection is idle" }
            if unpromised > 0 && connecting + served.count + promised == 0 { return "someone waits for nothing" }
            return nil
        }
    }

    @Test(arguments: [(1, 0), (1, 3), (2, 0), (3, 2), (5, 10)])
    func countsMatchModel(maximum: Int, maximumWaiting: Int) {
        for seed in 0..<40 {
            var random = SplitMix64(seed: UInt64(seed))
            var world = World(maximum: maximum, maximumWaiting: maximumWaiting)
            for step in 0..<500 {
                if let problem = world.step(&random) ?? world.problem {
                    Issue.record("seed \(seed), step \(step): \(problem)")
                    return
                }
            }
        }
    }

    /// From any state, if nothing new arrives and every connection works, no request is left waiting.
    @Test func everyWaiterIsServedOrFailed() {
        for seed in 0..<200 {
            var random = SplitMix64(seed: UInt64(1000 + seed))
            var world = World(maximum: random.within(1...4), maximumWaiting: random.below(6))
            for _ in 0..<random.below(200) { _ = world.step(&random) }
            var rounds = 0
            while world.connecting + world.promised > 0 || !world.served.isEmpty, rounds < 1000 {
                rounds += 1
                if world.promised > 0 {
                    #expect(world.keepPromise() == nil)
                } else if world.connecting > 0 {
                    if random.oneIn(2) {
                        #expect(world.fail() == nil)
                    } else {
                        world.connecting -= 1
                        let action = world.state.connected()
                        #expect(world.becameFree(action) == nil)
                    }
                } else {
                    world.served.removeFirst()
                    let action = world.state.released()
                    #expect(world.becameFree(action) == nil)
                }
            }
            #expect(world.waiting.isEmpty && rounds < 1000)
        }
    }

    @Test func negativeCountIsReportedAndReset() {
        let impossible: [(inout PoolState) -> Void] = [
            { _ = $0.connected() }, { _ = $0.released() }, { $0.promiseKept() }, { _ = $0.promiseWithdrawn() },
            { _ = $0.failedToConnect() }, { $0.waiterLeft() }, { $0.idleClosed() }, { _ = $0.busyClosed() },
            { $0.sharedConnected() }, { _ = $0.sharedClosed() },
        ]
        for (index, event) in impossible.enumerated() {
            var state = PoolState(maximumConnections: 2, maximumWaiting: 2)
            #expect(state.isConsistent)
            event(&state)
            #expect(!state.isConsistent, "event \(index)")
            state.restoreCounts()
            #expect(state.isConsistent)
        }
    }

    @Test func zeroLimitAllowsOneConnection() {
        var state = PoolState(maximumConnections: 0, maximumWaiting: 0)
        #expect(state.requestArrived() == .waitAndConnect)
        #expect(state.requestArrived() == .refuse)
    }

    @Test func failureOpensAnotherConnectionForWaiters() {
        var state = PoolState(maximumConnections: 2, maximumWaiting: 5)
        _ = state.requestArrived()
        #expect(state.connected() == .promise)
        state.promiseKept()
        for _ in 0..<3 { _ = state.requestArrived() }
        #expect(state.failedToConnect() == PoolState.FailureAction(failing: 1, connects: true))
        #expect(state.connecting == 1)
    }

    @Test func lastFailureFailsAllWaiters() {
        var state = PoolState(maximumConnections: 1, maximumWaiting: 5)
        for _ in 0..<4 { _ = state.requestArrived() }
        #expect(state.failedToConnect() == PoolState.FailureAction(failing: 4, connects: false))
        #expect(state.open == 0)
    }

    @Test func lostConnectionIsReplacedForWaiters() {
        var state = PoolState(maximumConnections: 1, maximumWaiting: 5)
        _ = state.requestArrived()
        _ = state.connected()
        state.promiseKept()
        #expect(state.busyClosed() == .nothing)
        _ = state.requestArrived()
        _ = state.connected()
        state.promiseKept()
        _ = state.requestArrived()
        #expect(state.busyClosed() == .connect)
        #expect(state.connected() == .promise)
    }
}
