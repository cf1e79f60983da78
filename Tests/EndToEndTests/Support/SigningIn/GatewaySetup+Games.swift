import Gateway
import Tenants
import TestSupport
import Testing

extension GatewaySetup {
    /// Runs a gateway with this setup alone, for tests that start several of it in turn, and hands out a client of the
    /// tenant `games`.
    func withGames(_ values: [String: String], _ test: (AppClient) async throws -> Void) async throws {
        let gateway = Gateway(
            configuration: try configuration(values),
            logger: LogCapture().logger(),
            accessLog: .sink { _ in },
            sealingKeys: sealingKeys.map { Secret($0) }
        )
        let address = try #require(try await gateway.start().listeners.first)
        let app = AppClient(host: AppSetup.games.host) { text, method in
            try await RawClient.exchange(text, method: method, at: address)
        }
        try await attempt {
            try await test(app)
        } finally: {
            await gateway.shutdown()
        }
    }
}
