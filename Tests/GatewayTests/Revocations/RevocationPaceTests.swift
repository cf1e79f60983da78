import Testing

@testable import Gateway

struct RevocationPaceTests {
    @Test(
        arguments: [
            ([], RevocationPace.closest),
            ([.milliseconds(1)], .closest),
            ([.seconds(30), .seconds(4)], RevocationPace(wait: .milliseconds(500), quiet: 0)),
            ([.seconds(30)], RevocationPace(wait: .seconds(1), quiet: 3_750_000_000)),
            ([.seconds(3600)], RevocationPace(wait: .seconds(1), quiet: 450_000_000_000)),
        ] as [([Duration], RevocationPace)]
    )
    func storeIsAskedOftenEnoughForTheTenantThatIsStaleFirst(limits: [Duration], pace: RevocationPace) {
        #expect(RevocationPace(staleAfter: limits) == pace)
    }
}
