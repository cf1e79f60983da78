import Counting
import Testing

struct CountersTests {
    private func counters() -> Counters {
        var counters = Counters(tenantCount: 2)
        for _ in 0..<3 { counters.count(tenant: 0, method: .get, status: 200, outcome: .granted) }
        counters.count(tenant: 1, method: .other, status: 401, outcome: .refused(.missingToken))
        counters.count(tenant: 2, method: .post, status: 404, outcome: .refused(.unknownHost))
        for duration in [750_000, 60_000_000_000] as [UInt64] {
            counters.time(tenant: 0, duration: duration, overhead: 20_000)
        }
        counters.openConnections = 7
        counters.tokenCache = TokenCacheCounts(hits: 5, misses: 4, refusedHits: 3)
        return counters
    }

    @Test func countersOfLoopsAddUp() {
        var sum = counters()
        sum.add(counters())
        #expect(sum.openConnections == 14)
        #expect(sum.tokenCache == TokenCacheCounts(hits: 10, misses: 8, refusedHits: 6))
        var seen: [String] = []
        sum.forEachRequestCount { seen.append("\($0.value) \($1.label) \($2) \($3)") }
        #expect(seen == ["0 GET 200 6", "1 other 401 2", "2 POST 404 2"])
        #expect(sum.durations[0].counts.reduce(0, +) == 4)
    }

    @Test func statusesOutOfRangeAreClamped() {
        var counters = Counters(tenantCount: 0)
        for status in [0, 100, 599, 999] {
            counters.count(tenant: 0, method: .head, status: status, outcome: .anonymous)
        }
        var seen: [Int: UInt64] = [:]
        counters.forEachRequestCount { seen[$2] = $3 }
        #expect(seen == [100: 2, 599: 2])
    }

    @Test func everyOutcomeHasTheIndexOfItsLabel() {
        let outcomes = [Outcome.granted, .anonymous] + RefusalCode.allCases.map(Outcome.refused)
        #expect(outcomes.map(\.label) == Outcome.allLabels)
        #expect(outcomes.map(\.index) == Array(Outcome.allLabels.indices))
    }
}
