import Testing

@testable import SharedState

/// A world of instances, requests, a store, a provider and accidents, with whatever happens happening in random order.
@Suite(.timeLimit(.minutes(2)))
struct FleetSingleFlightModelTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func invariantsHoldInAnyOrderOfEvents(group: UInt64) {
        for number in 0..<1500 {
            let seed = group * 1_000_000 + UInt64(number)
            var world = FleetFlightWorld(seed: seed)
            world.run()
            #expect(world.complaints.isEmpty, "seed \(seed): \(world.complaints.first ?? "")")
            if !world.complaints.isEmpty { return }
        }
    }

    /// Without accidents there is one call, and everybody gets what it brought.
    @Test func withoutAccidentsOneCallServesAll() {
        for seed in 0..<1500 as Range<UInt64> {
            var world = FleetFlightWorld(seed: seed, accidents: false)
            world.run()
            #expect(world.complaints.isEmpty, "seed \(seed): \(world.complaints.first ?? "")")
            #expect(world.calls == 1, "seed \(seed): \(world.calls) calls")
            #expect(world.renewedAnswers == world.asked, "seed \(seed): \(world.renewedAnswers) of \(world.asked)")
            if !world.complaints.isEmpty || world.calls != 1 { return }
        }
    }

    /// The accidents do happen, so that the first test means something.
    @Test func modelIncludesEveryAccident() {
        var seen: Set<FleetFlightWorld.Accident> = []
        var renewals = 0
        for seed in 0..<500 as Range<UInt64> {
            var world = FleetFlightWorld(seed: seed)
            world.run()
            seen.formUnion(world.accidents)
            renewals += world.renewedAnswers
        }
        #expect(seen == Set(FleetFlightWorld.Accident.allCases))
        #expect(renewals > 500)
    }
}
