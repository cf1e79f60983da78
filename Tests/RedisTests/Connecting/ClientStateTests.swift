import TestSupport
import Testing

@testable import Redis

@Suite struct ClientStateTests {
    private static let first = RedisAddress(host: "first.test")
    private static let second = RedisAddress(host: "second.test")
    private static let master = RedisAddress(host: "master.test")
    private static let commands = Handshake.Purpose.commands(mustBeMaster: false)
    private static let question = Handshake.Purpose.findMaster(name: "gate")

    /// Always returns the greatest number: the wait has its maximum length.
    private struct Greatest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    private static func direct(_ addresses: [RedisAddress] = [first]) -> ClientState {
        ClientState(RedisConfiguration(servers: .direct(addresses)))
    }

    private static func sentinels(_ addresses: [RedisAddress] = [first, second]) -> ClientState {
        ClientState(RedisConfiguration(servers: .sentinels(addresses, masterName: "gate")))
    }

    private var generator = Greatest()

    @Test mutating func lostConnectionIsReopened() {
        var state = Self.direct()
        #expect(state.started() == .open(Self.first, Self.commands))
        #expect(state.started() == .nothing)
        state.becameReady()
        #expect(state.isReady && state.connectionNumber == 1 && state.failure == nil)
        #expect(state.lost("gone", using: &generator) == .wait(.milliseconds(50)))
        #expect(!state.isReady && state.failure == .transient("gone"))
        #expect(state.waited() == .open(Self.first, Self.commands))
        state.becameReady()
        #expect(state.connectionNumber == 2 && state.failure == nil)
    }

    @Test mutating func waitGrowsUntilAConnectionLasts() {
        var state = Self.direct()
        _ = state.started()
        #expect(state.openingFailed(.transient("x"), using: &generator) == .wait(.milliseconds(50)))
        _ = state.waited()
        #expect(state.openingFailed(.transient("x"), using: &generator) == .wait(.milliseconds(100)))
        _ = state.waited()
        state.becameReady()
        #expect(state.lost("x", using: &generator) == .wait(.milliseconds(200)))
        _ = state.waited()
        state.becameReady()
        state.provedLasting()
        #expect(state.lost("x", using: &generator) == .wait(.milliseconds(50)))
    }

    @Test mutating func refusalIsReportedAndRetriedSlowly() {
        var state = Self.direct([Self.first, Self.second])
        _ = state.started()
        #expect(state.openingFailed(.refused("WRONGPASS"), using: &generator) == .wait(.seconds(20)))
        #expect(state.failure == .refused("WRONGPASS"))
    }

    @Test mutating func nextAddressIsTriedAtOnceAndAllAgainAfterAWait() {
        var state = Self.direct([Self.first, Self.second])
        _ = state.started()
        #expect(state.openingFailed(.transient("x"), using: &generator) == .open(Self.second, Self.commands))
        // Not reported yet: there was another address.
        #expect(state.failure == nil)
        #expect(state.openingFailed(.transient("y"), using: &generator) == .wait(.milliseconds(50)))
        #expect(state.failure == .transient("y"))
        #expect(state.waited() == .open(Self.first, Self.commands))
    }

    @Test mutating func sentinelsMasterMustConfirmItsRole() {
        var state = Self.sentinels()
        #expect(state.started() == .open(Self.first, Self.question))
        #expect(state.masterFound(Self.master) == .open(Self.master, .commands(mustBeMaster: true)))
        state.becameReady()
        #expect(state.phase == .ready(Self.master))
        _ = state.lost("gone", using: &generator)
        #expect(state.waited() == .open(Self.first, Self.question))
    }

    @Test mutating func lastRespondingSentinelIsQueriedFirst() {
        var state = Self.sentinels()
        _ = state.started()
        #expect(state.openingFailed(.transient("x"), using: &generator) == .open(Self.second, Self.question))
        _ = state.masterFound(Self.master)
        state.becameReady()
        _ = state.lost("gone", using: &generator)
        #expect(state.waited() == .open(Self.second, Self.question))
    }

    @Test mutating func misleadingSentinelIsQueriedLast() {
        for failure in [ConnectFailure.notMaster("x"), .transient("x")] {
            var state = Self.sentinels()
            _ = state.started()
            _ = state.masterFound(Self.master)
            #expect(state.openingFailed(failure, using: &generator) == .wait(.milliseconds(50)))
            #expect(state.waited() == .open(Self.second, Self.question))
        }
    }

    @Test mutating func retriesAreSlowOnlyIfAllSentinelsRefuse() {
        var state = Self.sentinels()
        _ = state.started()
        _ = state.openingFailed(.refused("NOAUTH"), using: &generator)
        #expect(state.openingFailed(.refused("NOAUTH"), using: &generator) == .wait(.seconds(20)))
        #expect(state.failure == .refused("NOAUTH"))
        _ = state.waited()
        _ = state.openingFailed(.transient("x"), using: &generator)
        #expect(state.openingFailed(.refused("NOAUTH"), using: &generator) == .wait(.milliseconds(50)))
        #expect(state.failure == .transient("NOAUTH"))
    }

    @Test mutating func closedClientIgnoresEvents() {
        var state = Self.direct()
        _ = state.started()
        state.closed()
        state.becameReady()
        #expect(state.openingFailed(.transient("x"), using: &generator) == .nothing)
        #expect(state.lost("x", using: &generator) == .nothing)
        #expect(state.waited() == .nothing && state.started() == .nothing)
        #expect(state.phase == .closed)
    }

    @Test func missingAddressesAreReported() {
        for var state in [Self.direct([]), Self.sentinels([])] {
            #expect(state.started() == .nothing)
            #expect(state.failure == .refused("no server is configured"))
        }
    }

    /// After random events it is opening, ready or waiting for a timer that it has requested, never stuck.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func everyStateHasANextStep(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var state = seed % 2 == 0 ? Self.direct([Self.first, Self.second]) : Self.sentinels()
        var action = state.started()
        var connections: UInt64 = 0
        for _ in 0..<300 {
            switch action {
            case .wait(let wait):
                #expect(wait <= .seconds(20) && state.phase == .waiting && state.failure != nil)
                action = state.waited()
            case .open(let address, let purpose):
                #expect(state.phase == .opening(address, purpose))
                switch (Int.random(in: 0...3, using: &generator), purpose) {
                case (0, _): action = state.openingFailed(.transient("x"), using: &generator)
                case (1, _): action = state.openingFailed(.refused("x"), using: &generator)
                case (_, .findMaster): action = state.masterFound(Self.master)
                case (_, .commands):
                    state.becameReady()
                    connections += 1
                    #expect(state.connectionNumber == connections)
                    action = state.lost("x", using: &generator)
                }
            case .nothing:
                Issue.record("nothing more is going to happen")
                return
            }
        }
    }
}
