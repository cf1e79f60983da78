import Store
import Tenants

/// The tenant's own browser sign-in, which ends with cookies.
extension BrowserEndpoints {
    /// Redirects to the provider at once.
    func login(_ request: EndpointRequest) async throws(SignInProblem) -> EndpointResponse {
        guard request.endpoint.methods.contains(request.method) else {
            throw .methodNotAllowed(allowed: request.endpoint.methods.joined(separator: ", "))
        }
        guard let rules = context.tenant.signIn?.web, let web else { throw .unavailable(retryAfterSeconds: nil) }
        guard let fields = try? FormFields(try parameters(of: request)) else { throw .malformed }
        guard let after = PostSignInTarget(fields["after"], configured: rules.after) else { throw .foreignAfter }
        let redirectURI = request.origin + rules.callback.description
        let (id, transaction, cookie) = try await mappingErrors(SignInProblem.init) { () async throws(StoreError) in
            try await begin(.web(after: after.url), [web.provider: redirectURI], for: request)
        }
        guard let leg = transaction.legs[web.provider] else { throw .malformed }
        return .redirect(to: providerURL(web, id, leg), fields: [cookie])
    }

    func webCallback(_ request: EndpointRequest) async throws(SignInProblem) -> EndpointResponse {
        guard let web else { throw .unavailable(retryAfterSeconds: nil) }
        return try await callback(request, at: CallbackEndpoint(flow: .web, provider: web))
    }

    /// Always a new session, against session fixation: its cookies replace those of any session the browser sent.
    func cookies(
        for account: Account,
        _ after: String,
        _ provider: SignIn.Provider,
        _ request: EndpointRequest
    ) async throws(SignInFailure) -> EndpointResponse {
        guard let sessions = context.sessions, let rules = context.tenant.signIn?.web else {
            throw .unavailable(retryAfterSeconds: nil)
        }
        if let seconds = context.secondsToWait(forSessionOf: account.subject, at: request.now) {
            throw .tooMany(retryAfterSeconds: seconds)
        }
        let opening = SessionOpening(
            subject: account.subject,
            claims: account.tokenClaims(nil),
            device: request.fields.userAgent,
            provider: provider.rawValue
        )
        let tokens = try await mappingErrors(SignInFailure.init) { () async throws(IssuingError) in
            try await sessions.start(opening, at: request.now)
        }
        let cookies = SessionCookies(context.tenant)
            .fields(for: tokens, refreshCookie: rules.refreshCookie, at: request.now)
        return .redirect(to: after, fields: cookies, subject: account.subject)
    }

    func failure(_ failure: SignInFailure, _ after: String, _ request: EndpointRequest) -> EndpointResponse {
        let denied = PostSignInTarget.url(after, error: AuthorizationError.cancelled.code.rawValue)
        if failure == .cancelled { return .redirect(to: denied) }
        return errorPage(failure.problem, of: request, back: SignInErrorPage.Link(url: denied, text: "Back"))
    }
}
