import AsyncHTTPClient
import CommandSupport
import Demo
import NIOCore
import NIOHTTP1
import Tenants
import Verification

/// Signs users in to the sample apps: at the backends that issue their own tokens, or through the gateway if it issues
/// them, as the apps do.
struct DemoSessions: Sendable {
    private static let patience = TimeAmount.seconds(20)
    private static let longestAnswer = 1 << 20
    private static let mostRetries = 80
    private static let pause = Duration.milliseconds(250)

    /// In seconds.
    static let hour = 3600

    let backends: SampleBackends
    let providers: DemoProviders
    let gateway: HostPort

    /// - Parameters:
    ///   - role: Only for the customer and the driver app; nil for the app's own.
    ///   - seconds: How long ago the access token expired; nil for a valid one.
    func begin(_ app: SampleAppName, role: String?, expiredFor seconds: Int?) async throws -> SampleSession {
        if let token = try backends.accessToken(app, email: Self.email(app), role: role, expiredFor: seconds) {
            return SampleSession(accessToken: token)
        }
        let exchange = try app == .chat ? providers.googleExchange(for: app) : providers.appleExchange(for: app)
        let response = try await send(exchange, to: app)
        guard let accessToken = response["access_token"]?.string, let refreshToken = response["refresh_token"]?.string
        else {
            throw CommandFailure("the sign-in to \(app.rawValue) answered without tokens")
        }
        guard let seconds else { return SampleSession(accessToken: accessToken, refreshToken: refreshToken) }
        let expired = try backends.expired(accessToken, of: app, for: seconds)
        return SampleSession(accessToken: expired ?? accessToken, refreshToken: refreshToken)
    }

    /// The user's access token as it is an hour after its expiry.
    func expired(_ token: String, of app: SampleAppName) throws -> String {
        if let expired = try backends.expired(token, of: app, for: Self.hour) { return expired }
        return try backends.accessToken(app, email: Self.email(app), expiredFor: Self.hour) ?? token
    }

    /// Creates the account of an exchange in an app.
    func register(_ exchange: DemoExchange, in app: SampleAppName) async throws {
        _ = try await send(exchange, to: app)
    }

    private static func email(_ app: SampleAppName) -> String { "alice@\(app.rawValue).example" }

    /// Repeats a request that came before the gateway had the providers' keys.
    private func send(_ exchange: DemoExchange, to app: SampleAppName) async throws -> JSONObject {
        var (status, object) = try await response(to: exchange, at: app)
        for _ in 0..<Self.mostRetries where status == .serviceUnavailable {
            try await Task.sleep(for: Self.pause)
            (status, object) = try await response(to: exchange, at: app)
        }
        guard status == .ok, let object else {
            let detail = object?["detail"]?.string.map { ": \($0)" } ?? ""
            throw CommandFailure("the sign-in to \(app.rawValue) answered \(status.code)\(detail)")
        }
        return object
    }

    private func response(
        to exchange: DemoExchange,
        at app: SampleAppName
    ) async throws -> (status: HTTPResponseStatus, object: JSONObject?) {
        var request = HTTPClientRequest(url: "http://\(gateway)\(exchange.path)")
        request.method = .POST
        request.headers.add(name: "Host", value: "\(app.host):\(gateway.port)")
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(JSONWriter.bytes(of: exchange.body))
        let response = try await HTTPClient.shared.execute(request, timeout: Self.patience)
        let body = try await response.body.collect(upTo: Self.longestAnswer)
        return (response.status, try? JSONParser.parse(Array(body.readableBytesView)).object)
    }
}
