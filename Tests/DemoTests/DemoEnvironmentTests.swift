import Logging
import Testing
import Verification

@testable import GatehouseDemo

struct DemoEnvironmentTests {
    private static let quiet = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    @Test func demoSignsInThroughGatewayIssuer() async throws {
        let fixture = try await DemoEnvironment.start(port: nil, freePorts: true, tokensFile: nil, logger: Self.quiet)
        let guide: DemoGuide
        do {
            guide = try await fixture.guide()
        } catch {
            await fixture.shutdown()
            throw error
        }
        await fixture.shutdown()
        let tokens = try #require(guide.json.object?["tokens"]?.object)
        for (app, issuer) in [("chat", "https://chat.localhost"), ("clans", "https://clans.localhost/oidc")] {
            let token = try UnverifiedToken(Array(try #require(tokens[app]?.string).utf8))
            #expect(token.header["typ"] == "at+jwt")
            #expect(try token.claims()["iss"] == .string(issuer))
            #expect(try token.claims()["email"] == .string("alice@\(app).example"))
        }
    }
}
