import Testing
import Verification

extension RealClients {
    /// `/openapi.json` describes the running gateway correctly: openapi-spec-validator reads it, and schemathesis
    /// holds each response to it, for requests that it makes up itself, good ones and bad ones.
    @Suite struct AdminDescriptionTests {
        @Test func everyResponseMatchesDescription() async throws {
            try await withAdminListener { listener async throws in
                let said = try await TestEnvironment.python().run([
                    Program.script("admin_api"), "http://127.0.0.1:\(listener.port)", AdminListener.token,
                ])
                guard said.status == 0 else { throw Program.Failure("\(said.text.suffix(20000))\(said.complaints)") }
                let result = try jsonLine(try #require(said.text.split(separator: "\n").last.map(String.init)))
                // All of them, so that the test cannot pass without requests.
                #expect(result["operations"]?.double == result["asked"]?.double)
                #expect((result["requests"]?.double ?? 0) > 300)
            }
        }
    }
}
