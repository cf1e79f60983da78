import Testing
import Verification

extension RealClients {
    /// `/openapi.json` is a right description of the running gateway: openapi-spec-validator reads it, and schemathesis
    /// holds each response to it, for requests that it makes up itself, good ones and bad ones.
    @Suite struct AdminDescriptionTests {
        @Test func everyResponseMatchesDescription() async throws {
            try await withAdminListener { listener async throws in
                let said = try await TestEnvironment.python().run([
                    Program.script("admin_api"), "http://127.0.0.1:\(listener.port)", AdminListener.token,
                ])
                guard said.status == 0 else { throw Program.Failure("\(said.text.suffix(20000))\(said.complaints)") }
                let result = try jsonLine(try #require(said.text.split(separator: "\n").last.map(String.init)))
                // As many as there are, so that the test cannot succeed by asking nothing.
                #expect(result["operations"]?.double == result["asked"]?.double)
                #expect((result["requests"]?.double ?? 0) > 300)
            }
        }
    }
}
