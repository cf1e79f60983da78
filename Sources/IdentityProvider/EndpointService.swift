import Tenants
public import Time

/// Handles requests for all of the gateway's own endpoints of one tenant.
public struct EndpointService: Sendable {
    private let context: SignInContext
    private let exchanges: ExchangeEndpoints
    private let sessions: OwnSessionEndpoints
    private let browser: BrowserEndpoints
    /// Nil for a tenant without an account page.
    private let account: AccountEndpoints?
    /// Nil for a tenant without its own issuer.
    private let issuer: IssuerEndpoints?
    private let possession: PossessionChecks

    /// - Parameters:
    ///   - realmSessions: Of every tenant with an issuer in this one's realm, this one included.
    public init(_ context: SignInContext, realmSessions: [SessionService], counts: SignInCounts) {
        let tenant = context.tenant
        let codes = AuthorizationCodes(store: context.store, tenant: tenant.name)
        let tokens = OwnTokenChecks(context)
        self.context = context
        possession = PossessionChecks(context)
        exchanges = ExchangeEndpoints(
            context,
            checks: ProviderChecks(
                apple: tenant.signIn?.apple,
                google: tenant.signIn?.google,
                who: tenant.signIn?.who,
                tokens: context.providerTokens,
                requests: context.requests
            ),
            realmSessions: realmSessions,
            counts: counts
        )
        sessions = OwnSessionEndpoints(context) { token, now, allowExpired in
            await tokens.presented(token, allowExpired: allowExpired, at: now)
        }
        let page = BrowserProviders.forPage(
            tenant,
            metadata: context.providerMetadata,
            tokens: context.providerTokens,
            requests: context.requests,
            logger: context.logger
        )
        let own = BrowserProviders.forWeb(
            tenant,
            tokens: context.providerTokens,
            requests: context.requests,
            logger: context.logger
        )
        let offersAll = tenant.signIn?.web.map { $0.provider == nil } ?? false
        browser = BrowserEndpoints(
            context,
            page: page,
            web: offersAll ? page : own.map { [$0] } ?? [],
            codes: codes,
            counts: counts,
            tokens: tokens.verifier
        )
        account = AccountEndpoints(
            context,
            realmSessions: realmSessions,
            verify: { token, now in await tokens.presented(token, allowExpired: false, at: now) },
            counts: counts
        )
        issuer = tokens.verifier.flatMap { IssuerEndpoints(context, codes: codes, verifier: $0, counts: counts) }
    }

    public func respond(to request: EndpointRequest) async -> EndpointResult {
        if let seconds = retryAfterSeconds(request) { return tooMany(request, seconds) }
        let result = await checked(request)
        return result.adding(possession.nonceFields(for: request))
    }

    private func checked(_ request: EndpointRequest) async -> EndpointResult {
        switch request.endpoint {
        case .appleExchange, .googleExchange, .namedExchange, .appleNotifications:
            return await exchanges.respond(to: request)
        case .sessionRefresh, .sessionValidate, .sessionMe, .sessionLogout, .accountDeletion, .deletionReceipt:
            return await sessions.respond(to: request)
        case .webLogin, .webCallback, .authorize, .appleCallback, .googleCallback, .namedCallback:
            return await browser.respond(to: request)
        case .accountPage, .passkeyScript:
            return await account?.respond(to: request) ?? .refused(.badRequest("there is no account page here"))
        case .passkeySignIn: return await browser.signInWithPasskey(request)
        case .backChannelLogout, .signals: return .refused(.badRequest("signals are not received here"))
        case .discovery, .jwks, .token, .revoke, .introspect, .userInfo, .logout:
            return await issuer?.respond(to: request) ?? .refused(.badRequest("there is no issuer here"))
        }
    }

    /// Records that the backend has admitted an identity that was passed to it.
    public func register(_ identity: ProviderIdentity, at now: UnixTime) async {
        do throws(AccountProblem) {
            _ = try await context.accounts.signIn(identity, givenName: nil, at: now)
        } catch {
            // The backend has admitted the user already, and keeps its own accounts.
            context.logger.warning(
                "a sign-in was not recorded",
                metadata: ["tenant": "\(context.tenant.name)", "provider": "\(identity.provider.rawValue)"]
            )
        }
    }

    /// - Returns: Nil if the request is within its limit.
    private func retryAfterSeconds(_ request: EndpointRequest) -> Int? {
        guard let limit = request.endpoint.limit else { return nil }
        let decision = context.limits.admit(
            address: request.clientAddress,
            limit,
            network: limit == .pages ? .pageNetworks : nil,
            at: request.now
        )
        guard case .refused(let seconds) = decision else { return nil }
        return seconds
    }

    private func tooMany(_ request: EndpointRequest, _ seconds: Int) -> EndpointResult {
        // These are shown to users.
        if request.endpoint.limit == .pages {
            return .response(browser.errorPage(.tooMany(retryAfterSeconds: seconds), of: request))
        }
        return .refused(
            .rateLimited(
                "there are too many requests from this address: try again later",
                retryAfterSeconds: seconds
            )
        )
    }
}

extension Endpoint {
    /// The limit per client address; nil for endpoints that are public and cheap.
    fileprivate var limit: AttemptLimit? {
        switch self {
        case .discovery, .jwks, .passkeyScript: nil
        case .backChannelLogout, .signals: .signals
        case .authorize, .appleCallback, .googleCallback, .namedCallback, .webLogin, .webCallback, .logout,
            .accountPage, .passkeySignIn:
            .pages
        case .introspect, .userInfo, .sessionMe, .sessionValidate, .deletionReceipt: .queries
        case .appleExchange, .googleExchange, .namedExchange, .appleNotifications, .sessionRefresh, .sessionLogout,
            .accountDeletion, .token, .revoke:
            .exchanges
        }
    }
}
