import Testing

@testable import SharedState

/// A model of instances, requests, a store, a provider and accidents, with events in random order.
@Suite(.timeLimit(.minutes(2)))
struct FleetSingleFlightModelTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func invariantsHoldInAnyOrderOfEvents(group: UInt64) {
        for number in 0..<1500 {
            let seed = group * 1_000_000 + UInt64(number)
            var world = FleetFlightWorld(seed: seed)
            world.run()
            #expect(world.violations.isEmpty, "seed \(seed): \(world.violations.first ?? "")")
            if !world.violations.isEmpty { return }
        }
    }

    /// Without accidents there is one call, and every request gets its value.
    @Test func withoutAccidentsOneCallServesAll() {
        for seed in 0..<1500 as Range<UInt64> {
            var world = FleetFlightWorld(seed: seed, accidents: false)
            world.run()
            #expect(world.violations.isEmpty, "seed \(seed): \(world.violations.first ?? "")")
            #expect(world.calls == 1, "seed \(seed): \(world.calls) calls")
            #expect(world.renewals == world.asked, "seed \(seed): \(world.renewals) of \(world.asked)")
            if !world.violations.isEmpty || world.calls != 1 { return }
        }
    }

    /// All accidents occur, so that the first test covers them.
    @Test func modelIncludesEveryAccident() {
        var seen: Set<FleetFlightWorld.Accident> = []
        var renewals = 0
        for seed in 0..<500 as Range<UInt64> {
            var world = FleetFlightWorld(seed: seed)
            world.run()
            seen.formUnion(world.accidents)
            renewals += world.renewals
        }
        #expect(seen == Set(FleetFlightWorld.Accident.allCases))
        #expect(renewals > 500)
    }
}
