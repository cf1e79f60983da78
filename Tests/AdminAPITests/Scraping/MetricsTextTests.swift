import Counting
import Tenants
import TestSupport
import Testing

@testable import AdminAPI

/// The text that Prometheus reads (exposition format 0.0.4).
struct MetricsTextTests {
    private func counters() -> Counters {
        var counters = Counters(tenantCount: 2)
        for _ in 0..<3 { counters.count(tenant: 0, method: .get, status: 200, outcome: .granted) }
        counters.count(tenant: 1, method: .other, status: 401, outcome: .refused(.missingToken))
        counters.count(tenant: 2, method: .post, status: 404, outcome: .refused(.unknownHost))
        counters.time(tenant: 0, duration: 750_000, overhead: 20_000)
        counters.time(tenant: 0, duration: 60_000_000_000, overhead: 30_000)
        counters.openConnections = 7
        for _ in 0..<2 { counters.add(stalls: Histogram(.stalls), internalErrors: [0, 1, 0]) }
        counters.tokenCache = TokenCacheCounts(hits: 5, misses: 4, refusedHits: 3)
        return counters
    }

    private func lines() -> [String] {
        let backend = BackendCount(
            tenant: "one",
            backend: "default",
            server: "http://b:1",
            counts: BackendCounters(answers: 1, failures: 2, timeouts: 3, connectFailures: 4),
            isHealthy: false
        )
        let shared = SharedCount(
            storeIsUp: true,
            revocations: ["two": 6],
            staleness: 0.25,
            keySets: [
                ("https://id.test/\"keys\"", 12), ("https://down.test", nil), ("https://two.test", 3),
                ("https://two.test", 30), ("https://two.test", nil), ("https://two.test", 4),
            ]
        )
        var stored = shared
        stored.storedTenants = (inForce: 5, faulty: 1)
        let reading = MetricsReading(
            tenants: ["one", "two"],
            configuration: ConfigurationCount(generation: 3, reloads: ReloadCounts(successes: 2, failures: 1)),
            counters: counters(),
            backends: [backend],
            shared: stored,
            lostLogBytes: 8,
            lostLogLines: 9
        )
        return MetricsText(reading).text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test(arguments: [
        #"gatehouse_requests_total{tenant="one",method="GET",status="200"} 3"#,
        #"gatehouse_requests_total{tenant="two",method="other",status="401"} 1"#,
        #"gatehouse_requests_total{tenant="",method="POST",status="404"} 1"#,
        #"gatehouse_auth_decisions_total{tenant="one",outcome="granted"} 3"#,
        #"gatehouse_auth_decisions_total{tenant="two",outcome="missing_token"} 1"#,
        #"gatehouse_request_duration_seconds_bucket{tenant="one",le="0.0006905339660024879"} 0"#,
        #"gatehouse_request_duration_seconds_bucket{tenant="one",le="0.0009765625"} 1"#,
        #"gatehouse_request_duration_seconds_bucket{tenant="one",le="64.0"} 2"#,
        #"gatehouse_request_duration_seconds_bucket{tenant="one",le="+Inf"} 2"#,
        #"gatehouse_request_duration_seconds_sum{tenant="one"} 60.00075"#,
        #"gatehouse_request_duration_seconds_count{tenant="one"} 2"#,
        #"gatehouse_gateway_overhead_seconds_count{tenant="one"} 2"#, #"gatehouse_token_cache_total{result="hit"} 5"#,
        #"gatehouse_token_cache_total{result="miss"} 4"#, #"gatehouse_token_cache_total{result="refused"} 3"#,
        #"gatehouse_connections{state="open"} 7"#,
        #"gatehouse_backend_requests_total{tenant="one",backend="default",server="http://b:1",outcome="answered"} 1"#,
        #"gatehouse_backend_requests_total{tenant="one",backend="default",server="http://b:1",outcome="connect_failure"} 4"#,
        #"gatehouse_stored_tenants{state="in_force"} 5"#, #"gatehouse_stored_tenants{state="faulty"} 1"#,
        #"gatehouse_store_up 1"#, #"gatehouse_revocations{tenant="one"} 0"#, #"gatehouse_revocations{tenant="two"} 6"#,
        #"gatehouse_revocation_staleness_seconds 0.25"#,
        #"gatehouse_key_set_age_seconds{key_set="https://id.test/\"keys\""} 12.0"#,
        #"gatehouse_key_set_age_seconds{key_set="https://two.test"} 30.0"#, #"gatehouse_access_log_lost_bytes_total 8"#,
        #"gatehouse_log_lost_lines_total 9"#, #"gatehouse_internal_errors_total{place="request"} 0"#,
        #"gatehouse_internal_errors_total{place="upstream_request"} 2"#,
        #"gatehouse_internal_errors_total{place="backend_connection"} 0"#,
        #"gatehouse_internal_errors_total{place="server_pool"} 0"#,
    ])
    func requestCountIsWritten(line: String) {
        #expect(lines().contains(line))
    }

    @Test func everyLineIsACommentOrASampleOfTheFamilyAbove() {
        var family = ""
        var families: [String] = []
        let all = lines()
        #expect(all.last == "")
        for line in all.dropLast() {
            let words = line.split(separator: " ")
            if line.hasPrefix("# HELP ") {
                family = String(words[2])
                families.append(family)
                #expect(words.count > 3)
            } else if line.hasPrefix("# TYPE ") {
                #expect(words.count == 4 && words[2] == family)
                #expect(["counter", "gauge", "histogram"].contains(words[3]))
            } else {
                let name = line.prefix { $0 != "{" && $0 != " " }
                let suffixes = ["", "_bucket", "_sum", "_count"]
                #expect(suffixes.contains { name == family + $0 }, "\(line)")
                #expect(words.last.flatMap { Double($0) } != nil)
            }
        }
        #expect(Set(families).count == families.count)
    }

    @Test func everySeriesIsWrittenOnce() {
        let series = lines().filter { !$0.hasPrefix("#") && !$0.isEmpty }.compactMap { line in
            line.lastIndex(of: " ").map { line[..<$0] }
        }
        #expect(Set(series).count == series.count)
        #expect(!series.contains { $0.contains("down.test") })
    }

    @Test func bucketsOfEveryHistogramNeverDecreaseAndEndWithTheCount() {
        for name in ["gatehouse_request_duration_seconds", "gatehouse_gateway_overhead_seconds"] {
            for tenant in ["two", ""] {
                #expect(!lines().contains { $0.hasPrefix("\(name)_bucket{tenant=\"\(tenant)\"") }, "it had no request")
            }
            let values = lines().filter { $0.hasPrefix("\(name)_bucket{tenant=\"one\"") }
                .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
            let count = lines().first { $0.hasPrefix("\(name)_count{tenant=\"one\"") }
            #expect(values == values.sorted() && values.count > 5)
            #expect(count?.hasSuffix(" \(values.last ?? -1)") == true)
        }
    }

    @Test func stallsOfAllLoopsAreOneHistogram() {
        var sum = counters()
        sum.stalls.add(6_000_000)
        var other = counters()
        other.stalls.add(2_000_000_000)
        sum.add(other)
        let reading = MetricsReading(
            tenants: ["one", "two"],
            configuration: ConfigurationCount(generation: 1),
            counters: sum,
            backends: [],
            shared: SharedCount(storeIsUp: true, revocations: [:], staleness: nil, keySets: [])
        )
        let text = MetricsText(reading).text
        #expect(text.contains("\ngatehouse_loop_stall_seconds_bucket{le=\"0.0078125\"} 1\n"))
        #expect(text.contains("\ngatehouse_loop_stall_seconds_bucket{le=\"2.0\"} 2\n"))
        #expect(text.contains("\ngatehouse_loop_stall_seconds_count 2\n"))
    }
}
