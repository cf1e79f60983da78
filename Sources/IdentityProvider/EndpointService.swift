import Tenants
public import Time

/// Answers all that the gateway answers itself on one tenant's host.
public struct EndpointService: Sendable {
    private let context: SignInContext
    private let exchanges: ExchangeEndpoints
    private let sessions: OwnSessionEndpoints
    private let browser: BrowserEndpoints
    /// Nil for a tenant without an issuer of its own.
    private let issuer: IssuerEndpoints?
    private let limits: AttemptLimits
    private let possession: PossessionChecks

    /// - Parameters:
    ///   - realmSessions: Of every tenant with an issuer that shares this one's accounts, this one included.
    ///   - limits: Of the whole process.
    public init(
        _ context: SignInContext,
        realmSessions: [SessionService],
        limits: AttemptLimits,
        counts: SignInCounts
    ) {
        var context = context
        context.limits = limits
        let tenant = context.tenant
        let codes = AuthorizationCodes(context.store, tenant: tenant.name)
        let tokens = OwnTokenChecks(context)
        self.context = context
        self.limits = limits
        possession = PossessionChecks(context)
        exchanges = ExchangeEndpoints(
            context,
            checks: ProviderChecks(
                apple: tenant.signIn?.apple,
                google: tenant.signIn?.google,
                tokens: context.providerTokens,
                requests: context.requests
            ),
            realmSessions: realmSessions,
            counts: counts
        )
        sessions = OwnSessionEndpoints(context) { token, now, allowExpired in
            await tokens.presented(token, allowExpired: allowExpired, at: now)
        }
        browser = BrowserEndpoints(
            context,
            page: BrowserProviders.forPage(
                tenant,
                tokens: context.providerTokens,
                requests: context.requests,
                logger: context.logger
            ),
            web: BrowserProviders.forWeb(
                tenant,
                tokens: context.providerTokens,
                requests: context.requests,
                logger: context.logger
            ),
            codes: codes
        )
        issuer = tokens.verifier.flatMap { IssuerEndpoints(context, codes: codes, verifier: $0) }
    }

    public func answer(_ request: EndpointRequest) async -> EndpointAnswer {
        if let seconds = retryAfterSeconds(request) { return tooMany(request, seconds) }
        let answer = await checked(request)
        return answer.adding(possession.nonceFields(for: request))
    }

    private func checked(_ request: EndpointRequest) async -> EndpointAnswer {
        switch request.endpoint {
        case .appleExchange, .googleExchange, .appleNotifications: return await exchanges.answer(request)
        case .sessionRefresh, .sessionValidate, .sessionMe, .sessionLogout: return await sessions.answer(request)
        case .webLogin, .webCallback, .authorize, .appleCallback, .googleCallback:
            return await browser.answer(request)
        case .discovery, .jwks, .token, .revoke, .introspect, .userInfo, .logout:
            return await issuer?.answer(request) ?? .refused(.badRequest("there is no issuer here"))
        }
    }

    /// Puts on record that the backend has let somebody in whom it was told of.
    public func register(_ identity: ProviderIdentity, at now: UnixTime) async {
        do throws(AccountProblem) {
            _ = try await context.accounts.signIn(identity, givenName: nil, at: now)
        } catch {
            // The backend has let them in already, and knows its own accounts.
            context.logger.warning(
                "a sign-in was not put on record",
                metadata: ["tenant": "\(context.tenant.name)", "provider": "\(identity.provider.rawValue)"]
            )
        }
    }

    /// - Returns: Nil for a request that is within its limit.
    private func retryAfterSeconds(_ request: EndpointRequest) -> Int? {
        guard let limit = request.endpoint.limit else { return nil }
        let key = AttemptLimits.key(address: request.clientAddress)
        guard case .refused(let seconds) = limits.admit(key, limit, at: request.now) else { return nil }
        return seconds
    }

    private func tooMany(_ request: EndpointRequest, _ seconds: Int) -> EndpointAnswer {
        // People see those.
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
    /// How often one address may ask; nil for what is public and costs nothing.
    fileprivate var limit: AttemptLimit? {
        switch self {
        case .discovery, .jwks: nil
        case .authorize, .appleCallback, .googleCallback, .webLogin, .webCallback, .logout: .pages
        case .introspect, .userInfo, .sessionMe, .sessionValidate: .questions
        case .appleExchange, .googleExchange, .appleNotifications, .sessionRefresh, .sessionLogout, .token, .revoke:
            .exchanges
        }
    }
}
