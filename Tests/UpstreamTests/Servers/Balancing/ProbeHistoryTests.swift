import Testing

@testable import Upstream

struct ProbeHistoryTests {
    /// The state reported after each result: `U`, `D`, or `-` for no change.
    private func told(_ results: String, healthyAfter: Int, unhealthyAfter: Int) -> String {
        var tally = ProbeHistory(healthyAfter: healthyAfter, unhealthyAfter: unhealthyAfter)
        return String(
            results.map { result in
                switch tally.observed(isGood: result == "g") {
                case true?: "U"
                case false?: "D"
                case nil: "-"
                }
            }
        )
    }

    @Test func consecutiveResultsChangeState() {
        #expect(told("bbb", healthyAfter: 2, unhealthyAfter: 3) == "--D")
        #expect(told("bbgbbgbbb", healthyAfter: 2, unhealthyAfter: 3) == "--------D")
        #expect(told("bbbgbggbbb", healthyAfter: 2, unhealthyAfter: 3) == "--D---U--D")
        #expect(told("bgbg", healthyAfter: 1, unhealthyAfter: 1) == "DUDU")
    }

    @Test func unchangedStateIsNotReported() {
        #expect(told("ggggg", healthyAfter: 1, unhealthyAfter: 1) == "-----")
        #expect(told("bbbbbb", healthyAfter: 1, unhealthyAfter: 2) == "-D----")
    }
}
