import TestSupport
import Testing

/// `gatehouse check` with `tests`.
@Suite struct CheckCommandTests {
    private static func text(_ tests: String) -> String {
        """
        version: 1
        gateway: { listen: [{ address: 127.0.0.1:0 }] }
        tenants:
          shop:
            hosts: [shop.test]
            backend: { servers: [http://127.0.0.1:9] }
            authenticate:
              issuers:
                - { issuer: "https://id.test", audiences: [app], algorithms: [RS256], jwks_url: "https://id.test/keys" }
            access:
              - { path: /admin/**, allow: { roles: [admin] } }
            tests:
        \(tests.split(separator: "\n").map { "      - \($0)\n" }.joined())
        """
    }

    private func check(_ tests: String, _ arguments: [String] = []) async throws -> (
        GatehouseProgram.Output, file: String
    ) {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let file = try scratch.write(Self.text(tests), to: "t.yaml")
        return (try await GatehouseProgram.run(["check", file] + arguments), file)
    }

    private static let good = """
        { request: GET /admin/jobs, claims: { role: customer }, expect: { status: 403, code: insufficient_role } }
        { request: GET /admin/jobs, claims: { role: admin }, expect: { status: 200 } }
        { request: GET /orders, expect: { status: 401 } }
        """

    @Test func passingTestsAreCounted() async throws {
        let (output, file) = try await check(Self.good)
        #expect(output.exit == 0 && output.errors == "", "\(output)")
        #expect(output.output == "\(file): OK, 1 tenant, 3 tests, 0 warnings\n")
        let (printed, _) = try await check(Self.good, ["--print"])
        #expect(printed.exit == 0 && printed.output.contains("request: \"GET /admin/jobs\""), "\(printed)")
    }

    @Test func failingTestIsReportedWithItsLine() async throws {
        let (output, file) = try await check(
            """
            { request: GET /admin/jobs, claims: { role: customer }, expect: { status: 200 } }
            { request: GET /orders, claims: {}, expect: { status: 200 } }
            { request: GET /orders, expect: { status: 200 } }
            """
        )
        #expect(output.exit == 1 && output.output == "")
        let lines = output.errors.split(separator: "\n").map(String.init)
        #expect(
            lines.first?.hasPrefix(
                "\(file):13:9: GET /admin/jobs: expected to go on, but it would be refused with 403 insufficient_role: "
            ) == true,
            "\(lines)"
        )
        #expect(lines.dropFirst().first?.hasPrefix("\(file):15:9: GET /orders: expected to go on") == true, "\(lines)")
        #expect(output.errors.contains("has 2 mistakes"))
    }
}
