import Counting
import Tenants
import TestSupport
import Testing
import Time

@testable import AdminAPI

struct MetricsFormatTests {
    @Test(arguments: [
        // As Prometheus 2.42 sends it.
        [
            "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
        ],
        ["text/plain", "Application/OpenMetrics-Text ; version=1.0.0"],
    ])
    func acceptedOpenMetricsIsUsed(accept: [String]) {
        #expect(MetricsFormat(accept: accept) == .openMetrics)
    }

    @Test(arguments: [[], ["*/*"], ["text/plain;version=0.0.4"], ["text/html, application/openmetrics-textual"]])
    func prometheusTextIsTheDefault(accept: [String]) {
        #expect(MetricsFormat(accept: accept) == .prometheus)
    }

    @Test func familiesOfCountersHaveNoSuffixInOpenMetrics() {
        let shared = SharedCount(storeIsUp: true, revocations: [:], staleness: nil, keySets: [])
        let reading = MetricsReading(
            tenants: [],
            configuration: ConfigurationCount(generation: 1),
            counters: Counters(tenantCount: 0),
            backends: [],
            shared: shared
        )
        func text(_ format: MetricsFormat) -> String { MetricsText(reading, format).text }
        #expect(text(.openMetrics).contains("# TYPE gatehouse_token_cache counter\n"))
        #expect(text(.openMetrics).contains("\ngatehouse_token_cache_total{result=\"hit\"} 0\n"))
        #expect(text(.openMetrics).hasSuffix("\n# EOF\n"))
        #expect(text(.prometheus).contains("# TYPE gatehouse_token_cache_total counter\n"))
        #expect(!text(.prometheus).contains("# EOF"))
    }

    @Test func labelsAreEscaped() {
        #expect(MetricsText.escaped("a\\b\"c\nd") == "a\\\\b\\\"c\\nd")
    }

    @Test func processStatisticsAreRead() throws {
        let first = try #require(ProcessStatistics.current())
        #expect(first.residentBytes > 1 << 20)
        #expect(first.openFiles >= 3)
        // These tests have not run for longer than a day.
        #expect(first.startedAt < Clock.unix() + 1 && first.startedAt > Clock.unix() - 86_400)
        let second = try #require(ProcessStatistics.current())
        #expect(second.cpuSeconds >= first.cpuSeconds)
        // Only a clock that is set in the meantime may change it.
        #expect(abs(second.startedAt - first.startedAt) < 60)
        #expect(ProcessStatistics.fields(ofStat: "7 (a) b) c) S 1 2")?.map(String.init) == ["S", "1", "2"])
        #expect(ProcessStatistics.fields(ofStat: "") == nil)
    }
}
