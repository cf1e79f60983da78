import Time
import Verification

/// Begins the sessions of sign-ins.
struct SessionOpener: Sendable {
    private let context: SignInContext

    init(_ context: SignInContext) {
        self.context = context
    }

    /// Begins a session for an identity. When this returns, account and session are stored.
    ///
    /// - Parameters:
    ///   - givenName: The name sent by the app.
    ///   - binding: What its tokens are bound to; nil for unbound tokens.
    ///   - request: Describes the client.
    func open(
        _ identity: ProviderIdentity,
        givenName: String?,
        boundTo binding: TokenBinding?,
        for request: EndpointRequest
    ) async throws(EarlySignInResponse) -> OpenedSession {
        let sessions = try service()
        let account = try await mappingErrors(EarlySignInResponse.init) { () async throws(AccountProblem) in
            try await context.accounts.signIn(identity, givenName: givenName, at: request.now)
        }
        if let seconds = context.secondsToWait(forSessionOf: account.subject, at: request.now) {
            throw EarlySignInResponse(.rateLimited("this account signs in too often", retryAfterSeconds: seconds))
        }
        let opening = SessionOpening(
            subject: account.subject,
            claims: account.tokenClaims(nil, beside: identity.claims),
            device: request.fields.userAgent,
            address: ClientAddressText.text(of: request.clientAddress),
            provider: identity.provider.rawValue,
            binding: binding
        )
        let tokens = try await mappingErrors(EarlySignInResponse.init) { () async throws(IssuingError) in
            try await sessions.start(opening, at: request.now)
        }
        try await mappingErrors(EarlySignInResponse.init) { () async throws(EndpointRefusal) in
            try await context.checkAccount(
                of: tokens,
                subject: account.subject,
                by: identity.provider.rawValue,
                at: request.now
            )
        }
        return OpenedSession(
            sessionID: tokens.sessionID,
            subject: account.subject,
            body: SessionResponse.object(tokens, user: account.user),
            keyThumbprint: binding?.confirmation.keyThumbprint
        )
    }

    /// Ends a session whose tokens were never sent. If that fails it does no harm, for the same reason.
    func abandon(_ session: OpenedSession, at now: UnixTime) async {
        guard let sessions = context.sessions else { return }
        do throws(IssuingError) {
            try await sessions.end(sessionID: session.sessionID, at: now, reason: "signed in twice at once")
        } catch {
            context.logger.warning(
                "an unused session could not be ended and will expire",
                metadata: ["tenant": "\(context.tenant.name)", "session": "\(session.sessionID)", "reason": "\(error)"]
            )
        }
    }

    /// - Returns: Whether it still exists and was not revoked.
    func isLive(_ session: OpenedSession, at now: UnixTime) async throws(EarlySignInResponse) -> Bool {
        let sessions = try service()
        let stored = try await mappingErrors(EarlySignInResponse.init) { () async throws(IssuingError) in
            try await sessions.session(session.sessionID, at: now)
        }
        guard let stored else { return false }
        return await !context.revocations.isRevoked(stored, tenant: context.tenant.name)
    }

    private func service() throws(EarlySignInResponse) -> SessionService {
        guard let sessions = context.sessions else { throw EarlySignInResponse(.withoutIssuer) }
        return sessions
    }
}

extension EndpointRefusal {
    /// The tenant's configuration promises sessions but has no issuer for them.
    static let withoutIssuer = EndpointRefusal(.overloaded, status: 503, detail: "this app has no issuer of its own")
}
