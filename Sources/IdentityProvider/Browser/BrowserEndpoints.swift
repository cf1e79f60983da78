import Logging
import Store
import Tenants
import Time
import TokenSigning
import Verification

/// Browser sign-in: the issuer's authorization endpoint with its page (OpenID Connect Core section 3.1.2), the tenant's
/// own sign-in with cookies, and the callbacks of the providers for both.
///
/// A sign-in is kept in the store from its start to a provider's response, bound to the browser by a cookie, and used
/// once.
struct BrowserEndpoints: Sendable {
    let context: SignInContext
    /// The providers on the page.
    let page: [any BrowserProvider]
    /// Those of the sign-in with cookies.
    let web: [any BrowserProvider]
    let codes: AuthorizationCodes
    let counts: SignInCounts
    let transactions: SignInTransactions
    let frame: PageFrame
    /// Nil for a tenant without it.
    let singleSignOn: SingleSignOn?
    /// For `id_token_hint`; nil for a tenant without an issuer.
    let tokens: OwnTokenVerifier?

    init(
        _ context: SignInContext,
        page: [any BrowserProvider],
        web: [any BrowserProvider],
        codes: AuthorizationCodes,
        counts: SignInCounts,
        tokens: OwnTokenVerifier? = nil
    ) {
        self.tokens = tokens
        singleSignOn = SingleSignOn(context, counts: counts)
        self.context = context
        self.page = page
        self.web = web
        self.codes = codes
        self.counts = counts
        transactions = SignInTransactions(store: context.store, tenant: context.tenant.name)
        frame = PageFrame(context.tenant)
    }

    /// Handles `authorize`, the callbacks, and the tenant's own browser sign-in.
    func respond(to request: EndpointRequest) async -> EndpointResult {
        do throws(SignInProblem) {
            switch request.endpoint {
            case .authorize: return .response(try await authorize(request))
            case .appleCallback: return .response(try await pageCallback(request, .apple))
            case .googleCallback: return .response(try await pageCallback(request, .google))
            case .namedCallback: return .response(try await namedCallback(request))
            case .webLogin: return .response(try await login(request))
            case .webCallback: return .response(try await webCallback(request))
            case .backChannelLogout, .signals, .appleExchange, .googleExchange, .namedExchange, .appleNotifications,
                .sessionRefresh,
                .sessionValidate, .sessionMe, .sessionLogout, .discovery, .jwks, .token, .revoke, .introspect,
                .userInfo, .logout, .accountPage, .passkeyScript, .passkeySignIn, .accountDeletion, .deletionReceipt:
                return .refused(.badRequest("this is not a browser endpoint"))
            }
        } catch {
            log(.info, error.label, request)
            return .response(errorPage(error, of: request))
        }
    }

    /// The page for a problem.
    func errorPage(
        _ problem: SignInProblem,
        of request: EndpointRequest,
        back: SignInErrorPage.Link? = nil
    ) -> EndpointResponse {
        SignInErrorPage(problem: problem, requestID: request.id, back: back)
            .response(in: frame, frame.language(of: request))
    }
}

// MARK: - Shared steps

extension BrowserEndpoints {
    /// The parameters of a query, or of a posted form.
    func parameters(of request: EndpointRequest) throws(SignInProblem) -> [UInt8] {
        switch request.method {
        case "GET": return Array((request.query ?? "").utf8)
        case "POST":
            guard OAuthForm.isForm(request) else { throw .malformed }
            return request.body
        default: throw .methodNotAllowed(allowed: request.endpoint.methods.joined(separator: ", "))
        }
    }

    /// Stores a new sign-in, with a leg for each provider.
    ///
    /// - Returns: Its identifier, and the cookie for the browser.
    func begin(
        _ purpose: SignInTransaction.Purpose,
        _ redirectURIs: [SignIn.Provider: String],
        demand: SignInDemand = SignInDemand(),
        for request: EndpointRequest
    ) async throws(StoreError) -> (id: SignInID, transaction: SignInTransaction, cookie: EndpointResponse.Field) {
        let id = SignInID.make()
        let binding = SignInBinding.makeValue()
        let transaction = SignInTransaction(
            purpose: purpose,
            legs: redirectURIs.mapValues { redirectURI in
                SignInTransaction.Leg(
                    nonce: Base64URL.encode(RandomBytes.make(32)),
                    codeVerifier: Base64URL.encode(RandomBytes.make(32)),
                    redirectURI: redirectURI
                )
            },
            bindingHash: SignInBinding.hash(binding),
            expiresAt: request.now + SignInTransaction.lifetime,
            passkeyChallenge: site(of: request) == nil ? nil : RandomBytes.make(PasskeyChallenges.length),
            demand: demand
        )
        try await transactions.add(transaction, as: id)
        return (id, transaction, SignInBinding.cookie(binding, of: id, isSecure: request.isSecure))
    }

    /// The URL at which the browser signs in with `provider`.
    func providerURL(
        _ provider: any BrowserProvider,
        _ id: SignInID,
        _ leg: SignInTransaction.Leg,
        of transaction: SignInTransaction,
        for request: EndpointRequest
    ) async throws(SignInProblem) -> String {
        do throws(EndpointRefusal) {
            let url = try await provider.authorizationURL(
                redirectURI: leg.redirectURI,
                state: SignInState(id: id, provider: provider.provider).text,
                nonce: leg.nonce,
                codeChallenge: CodeVerifier.challenge(of: leg.codeVerifier),
                signsInAnew: transaction.demand.isAnew,
                at: request.now
            )
            guard provider.takesLoginHint, let hint = transaction.demand.loginHint else { return url }
            return FormText.url(url, adding: [("login_hint", hint)])
        } catch {
            throw .providerUnavailable(provider.label, retryAfterSeconds: error.retryAfterSeconds)
        }
    }

    /// The page with a link to each of `providers`.
    ///
    /// - Parameters:
    ///   - destination: For display: where the sign-in returns to.
    ///   - cancelURL: Nil for no link.
    func page(
        of providers: [any BrowserProvider],
        _ begun: (id: SignInID, transaction: SignInTransaction, cookie: EndpointResponse.Field),
        destination: String,
        cancelURL: String?,
        passkey: PasskeyPrompt? = nil,
        continuing: ContinueForm? = nil,
        formTarget: String? = nil,
        for request: EndpointRequest
    ) async throws(SignInProblem) -> EndpointResponse {
        var choices: [SignInPageHTML.Choice] = []
        for provider in providers {
            guard let leg = begun.transaction.legs[provider.provider] else { continue }
            let url =
                provider.isFoundFirst
                ? startURL(provider, begun.id, leg)
                : try await providerURL(provider, begun.id, leg, of: begun.transaction, for: request)
            choices.append(SignInPageHTML.Choice(provider: provider.provider, label: provider.label, url: url))
        }
        return SignInPageHTML(
            choices: choices,
            destination: destination,
            cancelURL: cancelURL,
            passkey: passkey,
            continuing: continuing,
            formTarget: formTarget
        )
        .response(in: frame, frame.language(of: request), cookie: begun.cookie, authority: request.authority)
    }

    /// Logs the result of a sign-in; includes the subject, and the passkey's identifier, and nothing else about a person.
    func log(
        _ level: Logger.Level,
        _ outcome: String,
        _ request: EndpointRequest,
        client: String? = nil,
        provider: SignIn.Provider? = nil,
        subject: String? = nil,
        passkey: String? = nil
    ) {
        var metadata: Logger.Metadata = [
            "tenant": "\(context.tenant.name)", "endpoint": "\(request.endpoint.rawValue)", "outcome": "\(outcome)",
            "request": "\(request.id)",
        ]
        metadata["client"] = client.map { "\($0)" }
        metadata["provider"] = provider.map { "\($0.rawValue)" }
        metadata["subject"] = subject.map { "\($0)" }
        metadata["passkey"] = passkey.map { "\($0)" }
        context.logger.log(level: level, "sign-in in a browser", metadata: metadata)
    }
}
