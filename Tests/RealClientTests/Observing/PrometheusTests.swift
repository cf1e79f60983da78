import Foundation
import Testing
import Verification

extension RealClients {
    /// Metrics, alert rules and the dashboard as Prometheus and Grafana read them.
    @Suite struct PrometheusTests {
        /// There from the start.
        private static let promised = [
            "gatehouse_requests": "counter", "gatehouse_request_duration_seconds": "histogram",
            "gatehouse_gateway_overhead_seconds": "histogram", "gatehouse_auth_decisions": "counter",
            "gatehouse_token_cache": "counter", "gatehouse_refresh": "counter", "gatehouse_revocations": "gauge",
            "gatehouse_revocation_staleness_seconds": "gauge", "gatehouse_backend_requests": "counter",
            "gatehouse_backend_healthy": "gauge", "gatehouse_connections": "gauge",
            "gatehouse_client_backlog_bytes": "gauge",
            "gatehouse_config_reload": "counter", "gatehouse_store_up": "gauge", "gatehouse_traces_dropped": "counter",
            "process_resident_memory_bytes": "gauge",
        ]
        /// Without a line while there is no key set.
        private static let conditional = ["gatehouse_key_set_age_seconds"]

        private static func families(_ format: String, _ text: String) async throws -> JSONObject {
            let script = Program.script("metrics")
            return try jsonLine(try await ObservingFixture.python().succeed([script, format], input: text))
        }

        @Test func prometheusLibraryReadsBothFormats() async throws {
            try await withObservingFixture { fixture, renewed async throws in
                _ = try await fixture.get("/x", token: renewed)
                _ = try await fixture.get("/x")
                let texts = [
                    ("prometheus", try await fixture.metrics()),
                    ("openmetrics", try await fixture.metrics(accept: "application/openmetrics-text; version=1.0.0")),
                ]
                for (format, text) in texts {
                    let families = try await Self.families(format, text)
                    for (name, type) in Self.promised {
                        let family = try #require(families[name]?.object, "\(name)")
                        #expect(family["type"]?.string == type, "\(name)")
                        #expect(family["help"]?.string?.isEmpty == false, "\(name)")
                    }
                    let requests = families["gatehouse_requests"]?.object?["samples"]?.array ?? []
                    let granted = requests.compactMap(\.array).filter { $0[1].object?["status"] == "200" }
                    #expect(granted.map { $0[2] } == ["1.0"], "\(format)")
                }
            }
        }

        @Test func promtoolAcceptsMetrics() async throws {
            try await withObservingFixture { fixture, renewed async throws in
                _ = try await fixture.get("/x", token: renewed)
                let complaints = try await Program.promtool.succeed(
                    ["check", "metrics"],
                    input: try await fixture.metrics()
                )
                #expect(complaints.isEmpty)
            }
        }

        @Test func alertRulesHoldInTheirTests() async throws {
            let folder = ObservingFixture.repository("ops/prometheus")
            try await Program.promtool.succeed(["check", "rules", "--lint-fatal", "\(folder)/alerts.yaml"])
            try await Program.promtool.succeed(["test", "rules", "\(folder)/alerts.test.yaml"])
            // No rule without a test.
            let rules = try String(contentsOfFile: "\(folder)/alerts.yaml", encoding: .utf8)
            let tests = try String(contentsOfFile: "\(folder)/alerts.test.yaml", encoding: .utf8)
            let alerts = rules.split(separator: "\n").filter { $0.contains("- alert: ") }
            let names = alerts.compactMap { $0.split(separator: " ").last.map(String.init) }
            #expect(names.count > 10)
            for name in names { #expect(tests.contains(name), "\(name) has no test") }
        }

        @Test func rulesAndDashboardUseExistingMetrics() async throws {
            let expressions = try Self.dashboardExpressions()
            let rules = try String(
                contentsOfFile: ObservingFixture.repository("ops/prometheus/alerts.yaml"),
                encoding: .utf8
            )
            try await withObservingFixture { fixture, _ async throws in
                let families = try await Self.families("prometheus", try await fixture.metrics())
                var known = Set(Self.conditional)
                for name in families.members.map(\.name) {
                    for suffix in ["", "_total", "_bucket", "_sum", "_count"] { known.insert(name + suffix) }
                }
                let used = Self.metrics(in: expressions.joined(separator: "\n") + rules)
                #expect(used.count > 20)
                #expect(used.subtracting(known) == [])
                // And the other way round: every metric is shown.
                let shown = Self.metrics(in: expressions.joined(separator: "\n"))
                for name in families.members.map(\.name) where name.hasPrefix("gatehouse_") {
                    #expect(shown.contains { $0.hasPrefix(name) }, "\(name) is not on the dashboard")
                }
            }
        }

        @Test func everyDashboardQueryIsPromQL() async throws {
            let expressions = try Self.dashboardExpressions()
            #expect(expressions.count > 30)
            let rules = expressions.enumerated().map { index, expression in
                let filled = expression.replacingOccurrences(of: "$__rate_interval", with: "5m")
                    .replacingOccurrences(of: "$", with: "")
                return "    - record: query_\(index)\n      expr: \(JSONWriter.text(of: .string(filled)))\n"
            }
            let text = "groups:\n- name: dashboard\n  rules:\n" + rules.joined()
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).yaml")
            try text.write(to: file, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: file) }
            try await Program.promtool.succeed(["check", "rules", file.path])
        }

        private static func dashboardExpressions() throws -> [String] {
            let file = ObservingFixture.repository("ops/grafana/gatehouse.json")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let dashboard = try #require(try JSONParser.parse(Array(text.utf8)).object)
            #expect(dashboard["uid"] == "gatehouse")
            let panels = (dashboard["panels"]?.array ?? []).compactMap(\.object)
            #expect(Set(panels.compactMap { $0["id"]?.double }).count == panels.count)
            return panels.flatMap { panel in
                (panel["targets"]?.array ?? []).compactMap { $0.object?["expr"]?.string }
            }
        }

        private static func metrics(in text: String) -> Set<String> {
            let words = text.split { !$0.isASCII || !($0.isLetter || $0.isNumber || $0 == "_") }
            return Set(words.map(String.init).filter { $0.hasPrefix("gatehouse_") || $0.hasPrefix("process_") })
        }
    }
}
