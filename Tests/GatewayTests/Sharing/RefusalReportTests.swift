import Counting
import Events
import Testing
import Time

@testable import Gateway

/// Events of refused requests, made of counters.
@Suite struct RefusalReportTests {
    private static let names = ["shop", "chat"]

    /// By tenant and outcome, with a last row for requests without a tenant.
    private static func decisions(_ counts: [(tenant: Int, outcome: Outcome, count: UInt64)]) -> [UInt64] {
        var all = Array(repeating: UInt64(0), count: 3 * Outcome.allLabels.count)
        for (tenant, outcome, count) in counts { all[tenant * Outcome.allLabels.count + outcome.index] = count }
        return all
    }

    @Test func oneEventStandsForAllRefusalsOfATenantAndCodeSinceTheLastLook() {
        var report = RefusalReport()
        let before = Self.decisions([(0, .refused(.tokenExpired), 5), (1, .granted, 9)])
        #expect(report.events(after: before, Self.names, at: UnixTime(1)).isEmpty)
        let after = Self.decisions([
            (0, .refused(.tokenExpired), 8), (0, .granted, 100), (0, .anonymous, 3), (1, .granted, 12),
            (1, .refused(.rateLimited), 1), (2, .refused(.unknownHost), 7),
        ])
        let events = report.events(after: after, Self.names, at: UnixTime(2))
        #expect(events.map(\.tenant) == ["shop", "chat"])
        #expect(events.map { $0.details["code"] } == ["token_expired", "rate_limited"])
        #expect(events.map { $0.details["count"]?.double } == [3, 1])
        #expect(report.events(after: after, Self.names, at: UnixTime(3)).isEmpty)
    }

    @Test func countersOfOtherTenantsAreNotCompared() {
        var report = RefusalReport()
        _ = report.events(after: Self.decisions([]), Self.names, at: UnixTime(1))
        let more = Self.decisions([(0, .refused(.badRequest), 4)]) + Array(repeating: 0, count: Outcome.allLabels.count)
        #expect(report.events(after: more, Self.names + ["new"], at: UnixTime(2)).isEmpty)
    }
}
