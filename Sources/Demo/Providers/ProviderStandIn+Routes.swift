import HTTPTypes
import Hummingbird
import Verification

extension ProviderStandIn: StandInEndpoints {
    func count(_ endpoint: ProviderEndpoint) -> ProviderFailure? {
        state.withLock { state in
            state.calls[endpoint, default: 0] += 1
            return state.failures[endpoint]
        }
    }

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
}
