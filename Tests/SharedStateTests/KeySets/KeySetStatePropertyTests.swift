import TestSupport
import Testing
import Time
import Verification

@testable import SharedState

/// Random lives of a key set, with the rules as a second, simpler model.
@Suite struct KeySetStatePropertyTests {
    private struct Life {
        var random: SplitMix64
        var state = KeySetState()
        var now = 0.0
        var sets: [[UInt8]]
        /// When the round under way began.
        var begun: Double?
        var purpose = KeySetState.Purpose.routine
        var lastUnknownFetch = -Double.infinity
        var waiting: [UInt64: Double] = [:]
        var resumed: Set<UInt64> = []
        var nextID: UInt64 = 0
        var lastSuccess: Double?
        /// The keys that `use` was called with last.
        var told: KeySet?

        mutating func step() throws {
            switch random.below(10) {
            case 0...2: ask()
            case 3...4: pass(Double(random.below(100)) / 10)
            case 5: pass(Double(random.below(4000)))
            case 6 where random.oneIn(10): pass(Double(random.below(800_000)))
            case 7: try hear()
            default: if begun != nil { try finish() }
            }
            tick()
            for id in state.waitersOverdue(at: now) { settle([id]) }
            check()
        }

        private mutating func pass(_ seconds: Double) { now += seconds }

        private mutating func ask() {
            nextID += 1
            switch state.requested(nextID, random.oneIn(3) ? .missing : .unknownKey, at: now) {
            case .result(.nothingNew): #expect(state.held != nil)
            case .result(.decideAgain): #expect(state.held != nil)
            case .result(.unavailable(let seconds)): #expect(seconds >= 1)
            case .wait, .tick: waiting[nextID] = now
            }
        }

        private mutating func tick() {
            for _ in 0..<3 {
                switch state.tick(at: now) {
                case .begin(let purpose):
                    #expect(begun == nil, "two rounds at a time")
                    begun = now
                    self.purpose = purpose
                case .expired:
                    #expect(now >= (lastSuccess ?? .infinity) + 604_800, "lost before its time")
                    told = nil
                    lastSuccess = nil
                case .wait(let until):
                    #expect(until > now)
                    return
                }
            }
        }

        private mutating func finish() throws {
            if purpose == .unknownKey, random.oneIn(4) {
                begun = nil
                return settle(state.finished(.refused, at: moment, random: unit()))
            }
            let wasFetched = !random.oneIn(3)
            if wasFetched, purpose == .unknownKey, let begun {
                #expect(begun - lastUnknownFetch >= 60, "asked the provider within the cooldown")
                lastUnknownFetch = begun
            }
            begun = nil
            if wasFetched, random.oneIn(2) { return settle(state.finished(.failed, at: moment, random: unit())) }
            let set = try pickSet()
            settle(state.finished(wasFetched ? .fetched(set) : .found(set), at: moment, random: unit()), set)
        }

        private mutating func hear() throws {
            let set = try pickSet()
            settle(state.adoptedWithoutRound(set, at: moment, random: unit()), set)
        }

        private mutating func pickSet() throws -> HeldKeySet {
            lastSuccess = now
            return try HeldKeySet(SampleKeys.record(random.pick(sets), fetchedAt: moment.unix))
        }

        private mutating func settle(_ settled: KeySetState.Settled, _ set: HeldKeySet? = nil) {
            #expect(settled.isChanged == (set.map { $0.keys != told } ?? false), "a change that is none, or one untold")
            if let set { told = set.keys }
            if settled.isChanged, !settled.resumed.isEmpty { #expect(settled.result == .decideAgain) }
            settle(settled.resumed)
        }

        private mutating func settle(_ ids: [UInt64]) {
            for id in ids {
                #expect(waiting.removeValue(forKey: id) != nil, "answered without waiting")
                #expect(resumed.insert(id).inserted, "answered twice")
            }
        }

        private func check() {
            #expect(state.held?.set.keys == told)
            #expect((state.held == nil) == (lastSuccess == nil))
            for asked in waiting.values { #expect(now - asked < 5, "waits for more than five seconds") }
        }

        private var moment: ClockReading { ClockReading(monotonic: now, unix: 1_000_000 + now) }
        private mutating func unit() -> Double { Double(random.below(1000)) / 1000 }

        /// Every waiting request gets a result in the end.
        mutating func end() {
            now += 5
            settle(state.waitersOverdue(at: now))
            #expect(waiting.isEmpty)
        }
    }

    @Test(arguments: 1...12) func invariantsHoldInAnyOrderOfEvents(seed: Int) throws {
        let sets = [
            try SampleKeys.keySet(), try SampleKeys.keySet(2), Array(#"{"keys":[]}"#.utf8),
        ]
        var life = Life(random: SplitMix64(seed: UInt64(seed)), sets: sets)
        for _ in 0..<1000 { try life.step() }
        life.end()
        #expect(life.resumed.count > 50)
        #expect(life.lastUnknownFetch > 0)
    }
}
