import HTTPTypes
import Hummingbird
import Verification

extension ProviderStandIn {
    /// Far more than any form of these.
    private static let longestBody = 64 << 10

    func makeRouter() -> Router<StandInContext> {
        let router = Router(context: StandInContext.self)
        add(.appleKeys, .get, "/apple/auth/keys", to: router) { standIn, _ in standIn.keys(.apple) }
        add(.appleAuthorize, .get, "/apple/auth/authorize", to: router) { $0.authorize($1, at: .apple) }
        add(.appleToken, .post, "/apple/auth/token", to: router) { try $0.exchangeAtApple(try await Self.form($1)) }
        add(.appleRevoke, .post, "/apple/auth/revoke", to: router) { try $0.revokeAtApple(try await Self.form($1)) }
        add(.googleKeys, .get, "/google/certs", to: router) { standIn, _ in standIn.keys(.google) }
        add(.googleAuthorize, .get, "/google/auth", to: router) { $0.authorize($1, at: .google) }
        add(.googleToken, .post, "/google/token", to: router) { try $0.exchangeAtGoogle(try await Self.form($1)) }
        add(.googleRevoke, .post, "/google/revoke", to: router) { try $0.revokeAtGoogle(try await Self.form($1)) }
        add(.userInfo, .get, "/google/userinfo", to: router) { $0.userInfo($1) }
        add(.tokenInfo, .get, "/google/tokeninfo", to: router) { try $0.tokenInfo($1) }
        return router
    }

    /// Each request is counted, and fails if the endpoint is set to fail.
    private func add(
        _ endpoint: ProviderEndpoint,
        _ method: HTTPRequest.Method,
        _ path: RouterPath,
        to router: Router<StandInContext>,
        _ respond: @escaping @Sendable (ProviderStandIn, Request) async throws -> Response
    ) {
        router.on(path, method: method) { [self] request, context in
            let failure = state.withLock { state in
                state.calls[endpoint, default: 0] += 1
                return state.failures[endpoint]
            }
            if let failed = try await failure?.response(on: context.channel) { return failed }
            do {
                return try await respond(self, request)
            } catch let refusal as StandInRefusal {
                return .json(
                    ["error": .string(refusal.error), "error_description": .string(refusal.reason)],
                    status: HTTPResponse.Status(code: refusal.status)
                )
            }
        }
    }

    private static func form(_ request: Request) async throws -> FormParameters {
        guard request.headers[.contentType] == "application/x-www-form-urlencoded" else {
            throw StandInRefusal.request("Content-Type is not application/x-www-form-urlencoded")
        }
        var request = request
        let body = try await request.collectBody(upTo: longestBody)
        return try FormParameters(String(buffer: body))
    }
}
