import Store
import Tenants

/// The tenant's own browser sign-in, which ends with cookies.
extension BrowserEndpoints {
    /// Redirects to the provider at once, or shows the page if there are several, or passkeys. The parameter `provider`
    /// chooses one.
    func login(_ request: EndpointRequest) async throws(SignInProblem) -> EndpointResponse {
        guard request.endpoint.methods.contains(request.method) else {
            throw .methodNotAllowed(allowed: request.endpoint.methods.joined(separator: ", "))
        }
        guard let rules = context.tenant.signIn?.web, !web.isEmpty else {
            throw .unavailable(retryAfterSeconds: nil)
        }
        guard let fields = try? FormFields(try parameters(of: request)) else { throw .malformed }
        guard let after = target(fields["after"], rules, request) else { throw .foreignAfter }
        if let page = try pageBeforeSignIn(fields, after, request) { return page }
        let offered = try offered(fields["provider"])
        let redirectURIs = offered.map { ($0.provider, request.origin + webCallbackPath($0.provider, rules)) }
        let begun = try await mappingErrors(SignInProblem.init) { () async throws(StoreError) in
            try await begin(
                .web(after: after.url),
                Dictionary(redirectURIs) { first, _ in first },
                demand: SignInDemand(isAnew: endsAtAccount(after, request)),
                for: request
            )
        }
        let passkey = fields["provider"] == nil ? prompt(begun.transaction, begun.id, request) : nil
        guard offered.count == 1, passkey == nil, let only = offered.first else {
            return try await page(
                of: offered,
                begun,
                destination: PostSignInTarget.host(of: after.url),
                cancelURL: PostSignInTarget.url(after.url, error: AuthorizationError.cancelled.code.rawValue),
                passkey: passkey,
                for: request
            )
        }
        guard let leg = begun.transaction.legs[only.provider] else { throw .malformed }
        let url = try await providerURL(only, begun.id, leg, of: begun.transaction, for: request)
        return .redirect(to: url, fields: [begun.cookie])
    }

    /// Where a sign-in ends: at the tenant's own app, or at the account page.
    private func target(_ asked: String?, _ rules: WebSignIn, _ request: EndpointRequest) -> PostSignInTarget? {
        if let url = accountURL(request), let asked, asked.utf8.elementsEqual(url.utf8) {
            return PostSignInTarget(nil, configured: url)
        }
        return PostSignInTarget(asked, configured: rules.after, own: ownOrigin(request))
    }

    /// Whether a sign-in ends at the account page, where whoever has just signed in may change how one does: a
    /// provider's session that somebody has left open is not enough. Kept with the sign-in from its start: what another
    /// request of it says changes nothing of what the provider was asked.
    private func endsAtAccount(_ after: PostSignInTarget, _ request: EndpointRequest) -> Bool {
        accountURL(request).map { after.url.utf8.elementsEqual($0.utf8) } ?? false
    }

    /// The URL of the account page; nil for a tenant without one.
    func accountURL(_ request: EndpointRequest) -> String? {
        (context.tenant.signIn?.accountPage).map { request.origin + PagePath.encoded($0.description) }
    }

    /// - Parameter name: What the app chose for the user; nil: all.
    private func offered(_ name: String?) throws(SignInProblem) -> [any BrowserProvider] {
        guard let name else { return web }
        let chosen = web.filter { $0.provider.rawValue.utf8.elementsEqual(name.utf8) }
        guard !chosen.isEmpty else { throw .malformed }
        return chosen
    }

    private func webCallbackPath(_ provider: SignIn.Provider, _ rules: WebSignIn) -> String {
        rules.provider == nil ? rules.callback(of: provider) : rules.callback.description
    }

    func webCallback(_ request: EndpointRequest) async throws(SignInProblem) -> EndpointResponse {
        guard let rules = context.tenant.signIn?.web, !web.isEmpty else { throw .unavailable(retryAfterSeconds: nil) }
        guard rules.provider == nil else {
            guard let only = web.first else { throw .malformed }
            return try await callback(request, at: CallbackEndpoint(flow: .web, provider: only))
        }
        guard let provider = web.first(where: { webCallbackPath($0.provider, rules) == request.path }) else {
            throw .malformed
        }
        let endpoint = CallbackEndpoint(flow: .web, provider: provider)
        if let begun = try await begins(request, at: endpoint) { return begun }
        return try await callback(request, at: endpoint)
    }

    /// Always a new session, against session fixation: its cookies replace those of any session the browser sent.
    ///
    /// - Parameter isAskedAnew: Whether the provider was told to ask who it is also where it knows somebody.
    func cookies(
        for account: Account,
        _ after: String,
        _ way: SignInWay,
        isAskedAnew: Bool,
        _ request: EndpointRequest,
        isFromElsewhere: Bool = true
    ) async throws(SignInFailure) -> EndpointResponse {
        guard let sessions = context.sessions, let rules = context.tenant.signIn?.web else {
            throw .unavailable(retryAfterSeconds: nil)
        }
        if let seconds = context.secondsToWait(forSessionOf: account.subject, at: request.now) {
            throw .tooMany(retryAfterSeconds: seconds)
        }
        var opening = SessionOpening(
            subject: account.subject,
            claims: account.tokenClaims(nil, beside: way.claims, methods: way.methods),
            device: request.fields.userAgent,
            address: ClientAddressText.text(of: request.clientAddress),
            provider: way.name,
            authenticatedAt: way.signedInAt,
            isProven: way.isProof() || isAskedAnew
        )
        opening.beganInBrowser = true
        let tokens = try await mappingErrors(SignInFailure.init) { () async throws(IssuingError) in
            try await sessions.start(opening, at: request.now)
        }
        try await mappingErrors({ SignInFailure($0) }) { () async throws(EndpointRefusal) in
            try await context.checkAccount(of: tokens, subject: account.subject, by: way.name, at: request.now)
        }
        let cookies = SessionCookies(context.tenant)
            .fields(for: tokens, refreshCookie: rules.refreshCookie, at: request.now)
        let fields = cookies + mark(for: after, request)
        // A redirect that a provider's page began would not have such cookies; what a page of ours leads to has them.
        guard rules.cookieRules.sameSite == .strict, isFromElsewhere else {
            return .redirect(to: after, fields: fields, subject: account.subject)
        }
        return SignedInPage(url: after)
            .response(in: frame, frame.language(of: request), further: fields, subject: account.subject)
    }

    func failure(_ failure: SignInFailure, _ after: String, _ request: EndpointRequest) -> EndpointResponse {
        let denied = PostSignInTarget.url(after, error: AuthorizationError.cancelled.code.rawValue)
        if failure == .cancelled { return .redirect(to: denied) }
        return errorPage(failure.problem, of: request, back: SignInErrorPage.Link(url: denied) { $0.back })
    }
}
