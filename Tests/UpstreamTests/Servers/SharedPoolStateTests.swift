import TestSupport
import Testing

@testable import Upstream

/// A pool's counts where connections carry many requests, against a model that has them.
struct SharedPoolStateTests {
    /// Each connection has a number of streams; each request on it takes one.
    private struct World {
        struct Connection {
            var underWay = 0
            /// Streams that waiting requests get at the end of the loop's turn.
            var promised = 0

            var taken: Int { underWay + promised }
        }

        var state: PoolState
        let maximum: Int
        let maximumWaiting: Int
        let places: Int
        var connections: [Connection] = []
        /// Streams that were promised on connections that are gone.
        var brokenPromises = 0
        var connecting = 0
        var waiting = 0
        var refused = 0

        init(maximum: Int, maximumWaiting: Int, places: Int) {
            state = PoolState(maximumConnections: maximum, maximumWaiting: maximumWaiting, sharesConnections: true)
            self.maximum = maximum
            self.maximumWaiting = maximumWaiting
            self.places = places
        }

        var promised: Int { connections.reduce(brokenPromises) { $0 + $1.promised } }
        var unpromised: Int { max(0, waiting - promised) }

        /// As ``ServerPool`` does: it looks for a free stream before it asks the counts.
        mutating func arrive() -> String? {
            if let free = connections.firstIndex(where: { $0.taken < places }) {
                connections[free].underWay += 1
                return nil
            }
            switch state.requestArrived() {
            case .useIdle: return "there is no idle connection among shared ones"
            case .waitAndConnect:
                guard connecting == 0 else { return "two are opened at once" }
                guard connections.count < maximum else { return "one is opened without room" }
                waiting += 1
                connecting += 1
            case .wait: waiting += 1
            case .refuse:
                guard unpromised >= maximumWaiting else { return "a request is refused too early" }
                refused += 1
            }
            return nil
        }

        private mutating func fill() {
            for place in connections.indices {
                while unpromised > 0, connections[place].taken < places {
                    state.streamPromised()
                    connections[place].promised += 1
                }
            }
        }

        /// The loop's turn ends.
        mutating func keepPromises() {
            for _ in 0..<brokenPromises {
                brokenPromises -= 1
                withdraw()
            }
            for place in connections.indices {
                for _ in 0..<connections[place].promised {
                    connections[place].promised -= 1
                    if waiting > 0 {
                        state.promiseKept()
                        waiting -= 1
                        connections[place].underWay += 1
                    } else {
                        withdraw()
                    }
                }
            }
            fill()
        }

        private mutating func withdraw() {
            if state.promiseWithdrawn() == .connect { connecting += 1 }
        }

        mutating func connected() {
            connecting -= 1
            state.sharedConnected()
            connections.append(Connection())
            fill()
        }

        mutating func failed() -> String? {
            connecting -= 1
            let action = state.failedToConnect()
            guard action.failing <= waiting else { return "more fail than wait" }
            waiting -= action.failing
            refused += action.failing
            if action.connects { connecting += 1 }
            return nil
        }

        /// The connection is gone, with the requests on it.
        mutating func lose(_ place: Int) {
            brokenPromises += connections.remove(at: place).promised
            if state.sharedClosed() == .connect { connecting += 1 }
        }

        mutating func step(_ random: inout SplitMix64) -> String? {
            switch random.below(10) {
            case 0...3: return arrive()
            case 4 where connecting > 0: connected()
            case 5 where connecting > 0: return failed()
            case 6 where !connections.isEmpty:
                let place = random.below(connections.count)
                if connections[place].underWay > 0 { connections[place].underWay -= 1 }
                fill()
            case 7 where !connections.isEmpty && random.oneIn(4): lose(random.below(connections.count))
            case 7 where waiting > 0:
                waiting -= 1
                state.waiterLeft()
            case 8...9: keepPromises()
            default: break
            }
            return nil
        }

        var problem: String? {
            guard state.shared == connections.count, state.connecting == connecting, state.waiting == waiting,
                state.promised == promised, state.idle == 0, state.busy == 0
            else { return "the numbers are not those of the world" }
            if connections.count + connecting > maximum { return "\(connections.count) + \(connecting) are open" }
            if connecting > 1 { return "\(connecting) are opened at once" }
            if unpromised > 0, connecting == 0, connections.isEmpty { return "someone waits for nothing" }
            if unpromised > 0, connections.contains(where: { $0.taken < places }) {
                return "someone waits beside a free place"
            }
            return nil
        }
    }

    @Test(arguments: [(1, 0, 1), (1, 3, 2), (2, 0, 1), (3, 2, 100), (5, 10, 3)])
    func countsMatchModel(maximum: Int, maximumWaiting: Int, places: Int) {
        for seed in 0..<60 {
            var random = SplitMix64(seed: UInt64(seed))
            var world = World(maximum: maximum, maximumWaiting: maximumWaiting, places: places)
            for step in 0..<500 {
                if let problem = world.step(&random) ?? world.problem {
                    Issue.record("seed \(seed), step \(step): \(problem)")
                    return
                }
            }
        }
    }

    @Test func oneConnectionIsOpenedForManyWaiters() {
        var state = PoolState(maximumConnections: 10, maximumWaiting: 100, sharesConnections: true)
        #expect(state.requestArrived() == .waitAndConnect)
        for _ in 0..<50 { #expect(state.requestArrived() == .wait) }
        #expect(state.connecting == 1)
        state.sharedConnected()
        for _ in 0..<51 { state.streamPromised() }
        for _ in 0..<51 { state.promiseKept() }
        #expect(state.shared == 1)
        #expect(state.waiting == 0)
    }

    @Test func protocolIsLearnedFromConnection() {
        // The server was presumed to share connections and does not: each waiting request gets its own then.
        var state = PoolState(maximumConnections: 3, maximumWaiting: 10, sharesConnections: true)
        for _ in 0..<3 { _ = state.requestArrived() }
        #expect(state.connecting == 1)
        #expect(state.connected() == .promise)
        state.promiseKept()
        #expect(!state.sharesConnections)
        #expect(state.requestArrived() == .waitAndConnect)

        // And the other way round: no more are opened than necessary.
        var other = PoolState(maximumConnections: 3, maximumWaiting: 10)
        for _ in 0..<2 { #expect(other.requestArrived() == .waitAndConnect) }
        other.sharedConnected()
        #expect(other.sharesConnections)
        #expect(other.requestArrived() == .wait)
    }

    @Test func lostLastSharedConnectionIsReplacedForWaiters() {
        var state = PoolState(maximumConnections: 1, maximumWaiting: 5, sharesConnections: true)
        _ = state.requestArrived()
        state.sharedConnected()
        state.streamPromised()
        state.promiseKept()
        #expect(state.requestArrived() == .wait)
        #expect(state.sharedClosed() == .connect)
        #expect(state.failedToConnect() == PoolState.FailureAction(failing: 1, connects: false))
        #expect(state.open == 0)
    }

    @Test func failureBesideSharedConnectionFailsOneWaiter() {
        var state = PoolState(maximumConnections: 2, maximumWaiting: 5, sharesConnections: true)
        _ = state.requestArrived()
        state.sharedConnected()
        state.streamPromised()
        state.promiseKept()
        #expect(state.requestArrived() == .waitAndConnect)
        #expect(state.requestArrived() == .wait)
        #expect(state.failedToConnect() == PoolState.FailureAction(failing: 1, connects: true))
    }
}
