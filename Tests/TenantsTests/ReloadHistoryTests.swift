import Testing
import Time

@testable import Tenants

/// The last reloads.
struct ReloadHistoryTests {
    private func record(
        _ time: Double,
        _ mistakes: [String] = [],
        trigger: ReloadTrigger = .signal
    ) -> ReloadRecord {
        let result = mistakes.isEmpty ? ReloadReport.Result.applied : .refused
        return ReloadRecord(
            time: UnixTime(time),
            trigger: trigger,
            report: ReloadReport(result: result, generation: 1, mistakes: mistakes)
        )
    }

    @Test func lastOnesAreKeptNewestFirst() {
        var history = ReloadHistory()
        for time in 1...30 { history.add(record(Double(time))) }
        #expect(history.records.map(\.time.seconds) == (11...30).reversed().map(Double.init))
    }

    @Test func refusalForSameReasonsIsCountedWithLast() {
        var history = ReloadHistory()
        history.add(record(1, ["no store"], trigger: .fileChange))
        history.add(record(2, ["no store"], trigger: .fileChange))
        history.add(record(3, ["no store"], trigger: .fileChange))
        history.add(record(4, ["no store"], trigger: .admin))
        history.add(record(5, ["a mistake"], trigger: .admin))
        history.add(record(6))
        history.add(record(7))
        #expect(history.records.map(\.time.seconds) == [7, 6, 5, 4, 3])
        #expect(history.records.map(\.times) == [1, 1, 1, 1, 3])
    }

    @Test func linesAreBounded() {
        var history = ReloadHistory()
        history.add(record(1, (1...250).map { "mistake \($0)" }))
        history.add(record(2, (1...100).map { "mistake \($0)" }))
        #expect(history.records.map(\.report.mistakes.count) == [100, 101])
        #expect(history.records[1].report.mistakes.last == "and 150 more")
    }
}
