import Tenants
import Verification

/// The endpoints to which apps post tokens from identity providers, and Apple its account events.
///
/// A request is parsed, its token verified, and then either sent on to the backend unchanged or answered with a session
/// of the tenant's issuer. The identity comes from the token alone, never from the rest of the body.
struct ExchangeEndpoints: Sendable {
    let context: SignInContext
    let checks: any ExchangeChecking
    /// Of every tenant with an issuer in this one's realm, this one included.
    let realmSessions: [SessionService]
    let counts: SignInCounts
    /// Parses a name as apps send it.
    let givenName: @Sendable (JSONValue) -> String?
    let opener: SessionOpener
    let records: TokenExchangeRecords
    let possession: PossessionChecks

    init(
        _ context: SignInContext,
        checks: any ExchangeChecking,
        realmSessions: [SessionService],
        counts: SignInCounts,
        givenName: @escaping @Sendable (JSONValue) -> String? = { GivenName.read($0) }
    ) {
        self.context = context
        self.checks = checks
        self.realmSessions = realmSessions
        self.counts = counts
        self.givenName = givenName
        opener = SessionOpener(context)
        records = TokenExchangeRecords(store: context.store, tenant: context.tenant.name)
        possession = PossessionChecks(context)
    }

    /// - Parameter request: A POST for one of these endpoints, whose body is at most 64 KiB.
    func respond(to request: EndpointRequest) async -> EndpointResult {
        let signIn = context.tenant.signIn
        if request.endpoint == .appleExchange, let apple = signIn?.apple {
            return await counted(.apple) { () async throws(EarlySignInResponse) in try await exchange(request, apple) }
        }
        if request.endpoint == .googleExchange, let google = signIn?.google {
            return await counted(.google) { () async throws(EarlySignInResponse) in try await exchange(request, google)
            }
        }
        if request.endpoint == .namedExchange, let named = signIn?.named(at: request.path), let rules = named.exchange {
            return await counted(.named(named.name)) { () async throws(EarlySignInResponse) in
                try await exchange(request, named, rules)
            }
        }
        if request.endpoint == .appleNotifications, let apple = signIn?.apple {
            return await receiveNotification(request, apple)
        }
        return .refused(.badRequest("no sign-in is configured here"))
    }

    /// The result of a sign-in, with its outcome for metrics.
    typealias Exchanged = (result: EndpointResult, outcome: SignInCounts.Outcome)

    private func counted(
        _ provider: SignIn.Provider,
        _ exchange: () async throws(EarlySignInResponse) -> Exchanged
    ) async -> EndpointResult {
        let exchanged: Exchanged
        do throws(EarlySignInResponse) {
            exchanged = try await exchange()
        } catch {
            exchanged = (error.result, SignInCounts.Outcome(error))
        }
        counts.count(tenant: context.tenant.name, provider: provider, outcome: exchanged.outcome)
        return exchanged.result
    }
}

// MARK: - Steps of all providers

extension ExchangeEndpoints {
    /// Checks that `identity` may sign in at the backend.
    func admit(_ identity: ProviderIdentity) async throws(EarlySignInResponse) {
        try await mappingErrors(EarlySignInResponse.init) { () async throws(AccountProblem) in
            try await context.accounts.check(identity)
        }
    }

    /// What the new session is bound to: the key of the request's proof.
    func binding(_ request: EndpointRequest) async throws(EarlySignInResponse) -> TokenBinding? {
        let key = try await mappingErrors({ EarlySignInResponse(possession.refusal($0)) }) {
            () async throws(PossessionProblem) in try await possession.key(of: request)
        }
        return key.map { TokenBinding(Confirmation(keyThumbprint: $0), bindsSession: true) }
    }
}
