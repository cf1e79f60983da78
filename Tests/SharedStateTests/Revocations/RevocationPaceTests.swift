import Testing

@testable import SharedState

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
        #expect(RevocationPace(staleAfter: limits, isLocal: false) == pace)
    }

    /// It says by itself when it was written to.
    @Test func localStoreIsQueriedLessOften() {
        let pace = RevocationPace(staleAfter: [.seconds(30)], isLocal: true)
        #expect(pace == RevocationPace(wait: .milliseconds(3750), quiet: 3_750_000_000))
        #expect(RevocationPace(staleAfter: [.seconds(3600)], isLocal: true).wait == .seconds(4))
        #expect(RevocationPace(staleAfter: [.seconds(4)], isLocal: true).wait == .milliseconds(500))
    }
}
