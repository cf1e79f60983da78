import Tenants
import Time
import Verification

/// Sessions of the tenant's own issuer at the tenant's own paths: refreshed, shown and ended, with bearer tokens for
/// apps and cookies for browsers.
struct OwnSessionEndpoints: Sendable {
    /// Verifies an access token of the tenant's own issuer.
    typealias Verify =
        @Sendable (
            _ token: String, _ now: UnixTime, _ allowExpired: Bool
        ) async -> Result<Principal, EndpointRefusal>

    let context: SignInContext
    let verify: Verify
    let cookies: SessionCookies
    let crossSite: CrossSiteCheck
    let possession: PossessionChecks

    /// - Parameter verify: With `allowExpired` also accepts a token that expired within the last 30 days.
    init(_ context: SignInContext, verify: @escaping Verify) {
        self.context = context
        self.verify = verify
        cookies = SessionCookies(context.tenant)
        crossSite = CrossSiteCheck(context.tenant)
        possession = PossessionChecks(context)
    }

    /// - Parameter request: For one of these endpoints, with one of its methods.
    func respond(to request: EndpointRequest) async -> EndpointResult {
        guard let sessions = context.sessions else { return .refused(.withoutIssuer) }
        do throws(EndpointRefusal) {
            switch request.endpoint {
            case .sessionRefresh: return .response(try await refresh(request, sessions))
            case .sessionValidate: return .response(try await show(request, sessions, extra: ["valid": true]))
            case .sessionMe: return .response(try await show(request, sessions, extra: [:]))
            case .sessionLogout: return .response(try await logout(request, sessions))
            case .accountDeletion: return .response(try await deleteAccount(request, sessions))
            case .deletionReceipt: return .response(try await showReceipt(request))
            case .backChannelLogout, .signals, .appleExchange, .googleExchange, .namedExchange, .namedCallback,
                .appleNotifications, .webLogin,
                .webCallback, .discovery, .jwks,
                .authorize,
                .appleCallback, .googleCallback, .token, .revoke, .introspect, .userInfo, .logout, .accountPage,
                .passkeyScript, .passkeySignIn:
                throw .badRequest("this is not a session endpoint")
            }
        } catch {
            return .refused(error)
        }
    }
}

// MARK: - Steps

extension OwnSessionEndpoints {
    /// Refuses a request that another site may have made the browser send: one that is authenticated by a cookie and
    /// can change something. In observe mode it is only logged.
    func refuseCrossSite(_ request: EndpointRequest, _ presented: PresentedToken) throws(EndpointRefusal) {
        guard presented.cookie != nil, request.method != "GET", request.method != "HEAD" else { return }
        guard !crossSite.allows(request) else { return }
        guard crossSite.observes else { throw .crossSite }
        context.logger.warning(
            "a cross-site request is allowed in observe mode",
            metadata: ["tenant": "\(context.tenant.name)", "request": "\(request.id)"]
        )
    }

    /// The access token of the request, whose binding the request must prove.
    ///
    /// - Parameter isForEnd: Whether its session is to end; then a recently expired one is accepted.
    func access(
        _ presented: PresentedToken,
        of request: EndpointRequest,
        isForEnd: Bool = false
    ) async throws(EndpointRefusal) -> Principal {
        let principal = try await verify(presented.token, request.now, isForEnd).get()
        try await proving { () async throws(PossessionProblem) in
            try await possession.check(principal, presented.token, of: request, isForEnd: isForEnd)
        }
        return principal
    }

    /// Checks the request's proof of possession.
    func proving<Value>(
        _ check: () async throws(PossessionProblem) -> Value
    ) async throws(EndpointRefusal) -> Value {
        try await mappingErrors(possession.refusal, check)
    }

    /// The refresh token in the body, where apps send it.
    ///
    /// - Returns: Nil for an empty body, or one without it.
    func refreshTokenOfBody(_ request: EndpointRequest) throws(EndpointRefusal) -> PresentedToken? {
        guard !request.body.isEmpty else { return nil }
        let body = try ExchangeBody(request, members: ["refresh_token"])
        return try body.text("refresh_token").map { PresentedToken(token: $0) }
    }

    /// The user as apps display it. An OAuth client sees only the claims of its token's scopes.
    ///
    /// - Parameter claims: Of the session or its token.
    func user(_ subject: String, clientID: String?, claims: JSONObject) async -> JSONObject {
        if clientID == nil, let account = try? await context.accounts.account(ofSubject: subject) {
            return account.user
        }
        return SessionResponse.user(subject, claims: claims)
    }
}

extension EndpointRefusal {
    func adding(_ fields: [EndpointResponse.Field]) -> EndpointRefusal {
        var refusal = self
        refusal.fields += fields
        return refusal
    }
}
