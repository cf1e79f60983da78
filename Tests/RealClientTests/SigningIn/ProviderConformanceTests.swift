import Foundation
import Testing
import Verification

extension RealClients {
    /// The conditions of the OpenID Foundation's conformance suite, asked of the built-in issuer; see
    /// docs/conformance.md.
    @Suite struct ProviderConformanceTests {
        private struct Outcome {
            let plan: String
            let name: String
            let result: String
            let reasons: [String]
            let row: Substring
        }

        /// A run takes half a minute for one of its tests, which waits as long.
        private static func outcomes() async throws -> [Outcome] {
            let result = try await ProviderFixture.run("op_conformance/__main__", seconds: 150)
            let rows = (result["table"]?.string ?? "").split(separator: "\n").dropFirst(2)
            return zip(result["tests"]?.array ?? [], rows).map { test, row in
                let test = test.object ?? JSONObject()
                return Outcome(
                    plan: test["plan"]?.string ?? "",
                    name: test["name"]?.string ?? "",
                    result: test["result"]?.string ?? "",
                    reasons: (test["reasons"]?.array ?? []).compactMap(\.string),
                    row: row
                )
            }
        }

        /// The rows of the document's table.
        private static func documentedRows() throws -> [Substring] {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            let page = try String(contentsOf: root.appendingPathComponent("docs/conformance.md"), encoding: .utf8)
            return page.split(separator: "\n").filter { $0.contains(" | `oidcc-") }
        }

        @Test func providerPassesTheFoundationsPlansAsDocumented() async throws {
            let outcomes = try await Self.outcomes()
            #expect(outcomes.count > 80)
            for outcome in outcomes where outcome.result == "fail" {
                Issue.record("\(outcome.plan)/\(outcome.name): \(outcome.reasons.joined(separator: "; "))")
            }
            let documented = try Self.documentedRows()
            let differing = zip(documented, outcomes).filter { $0 != $1.row }.map(\.0)
            #expect(documented.count == outcomes.count && differing.isEmpty, "the table:\n\(Self.table(outcomes))")
        }

        private static func table(_ outcomes: [Outcome]) -> String {
            outcomes.map { String($0.row) }.joined(separator: "\n")
        }
    }
}
