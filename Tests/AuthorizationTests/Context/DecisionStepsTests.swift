import Authorization
import Testing

/// The slow steps that a decision may request, after each that it has requested.
struct DecisionStepsTests {
    @Test func stepIsRequestedOncePerRequest() {
        var steps = DecisionSteps()
        #expect(steps.allowed == .all && steps.isUntouched)
        steps.took(.keys, generation: 1)
        #expect(steps.allowed == .all.subtracting(.keys) && !steps.isUntouched)
        let ends = [steps.ended(generation: 1), steps.ended(generation: 1)]
        #expect(ends == [true, false], "nothing is under way any more")
        #expect(steps.allowed == .all.subtracting(.keys))
        #expect(steps.withoutCapacity == [])
    }

    @Test func stepWithoutCapacityIsNotRequestedAgain() {
        var steps = DecisionSteps()
        steps.took(.keys, generation: 1)
        steps.hadNoCapacity()
        #expect(steps.withoutCapacity == .keys)
        #expect(steps.allowed == .all.subtracting(.keys))
        let ended = steps.ended(generation: 2)
        #expect(!ended && steps.withoutCapacity == .keys, "it was never begun")
    }

    @Test func otherConfigurationRequestsItsOwnSteps() {
        var steps = DecisionSteps()
        steps.took(.keys, generation: 1)
        steps.hadNoCapacity()
        steps.proof = .replayed
        steps.took(.proof, generation: 1)
        let ended = steps.ended(generation: 2)
        #expect(ended && steps.allowed == .all && steps.withoutCapacity == [])
        #expect(steps.proof == .replayed, "a proof was used up, and counts")
    }

    @Test func refreshIsNotRepeatedByAnotherConfiguration() {
        var steps = DecisionSteps()
        steps.took(.refresh, generation: 1)
        steps.ended(generation: 2)
        #expect(steps.allowed == .all.subtracting(.refresh))
    }

    @Test func repeatedRequestIsNotRefreshedAgain() {
        var steps = DecisionSteps()
        steps.took(.keys, generation: 1)
        steps.ended(generation: 1)
        steps.beginWithoutRefresh()
        #expect(steps.allowed == .all.subtracting(.refresh), "the other steps may be asked for again")
        steps.took(.keys, generation: 1)
        steps.ended(generation: 2)
        #expect(steps.allowed == .all.subtracting(.refresh), "nor by another configuration")
    }

    @Test func otherConfigurationAllowsNoFurtherSteps() {
        var steps = DecisionSteps(allowing: [.keys, .refresh])
        steps.beginWithoutRefresh()
        #expect(steps.allowed == .keys)
        steps.took(.keys, generation: 1)
        steps.ended(generation: 2)
        #expect(steps.allowed == .keys)
    }
}
