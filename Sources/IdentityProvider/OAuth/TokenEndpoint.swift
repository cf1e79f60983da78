import Logging
import Store
import Tenants
import Time
import Verification

/// Issues tokens for a code or a refresh token (RFC 6749 section 3.2).
struct TokenEndpoint: Sendable {
    let context: SignInContext
    let sessions: SessionService
    let codes: AuthorizationCodes
    let clients: ClientAuthentication
    let tokens: OwnTokens
    let possession: PossessionChecks

    func respond(to request: EndpointRequest) async throws(OAuthError) -> EndpointResult {
        let form = try OAuthForm.read(request)
        guard let grantType = form["grant_type"] else { throw .invalidRequest("grant_type is missing") }
        let client = try await clients.authenticate(request, form)
        if let seconds = context.secondsToWait(forTokensOf: client, at: request.now) {
            throw .tooMany("this client requests tokens too often", retryAfter: seconds)
        }
        switch grantType {
        case "authorization_code":
            return try await redeem(form, client, try await binding(request, client), at: request.now)
        case "refresh_token":
            return try await refresh(form, client, try await binding(request, client), request)
        default:
            throw OAuthError(.unsupportedGrantType, status: 400, "authorization_code and refresh_token are supported")
        }
    }

    /// What the tokens of this request are bound to. Checked before a code or a refresh token, so that a client that
    /// has to repeat its proof, with a nonce, has not used it up.
    private func binding(
        _ request: EndpointRequest,
        _ client: IssuerClient
    ) async throws(OAuthError) -> TokenBinding? {
        var certificate: [UInt8]?
        if client.bindsToCertificate {
            guard let own = request.clientCertificateThumbprint else {
                throw .invalidRequest("this client must use its certificate, on a connection of its own")
            }
            certificate = own
        }
        let key: [UInt8]?
        do throws(PossessionProblem) {
            key = try await possession.key(of: request)
            if key == nil, client.needsProof { throw .missing }
        } catch {
            throw OAuthError(atTokenEndpoint: error)
        }
        return Confirmation.of(keyThumbprint: key, certificateThumbprint: certificate)
            .map { TokenBinding($0, bindsSession: client.isPublic) }
    }

    private func response(_ tokens: IssuedTokens, subject: String?) -> EndpointResult {
        let pragma = EndpointResponse.Field("Pragma", "no-cache")
        return .response(.json(tokens.response, fields: [pragma], subject: subject))
    }
}

// MARK: - A code

extension TokenEndpoint {
    /// RFC 6749 section 4.1.3, RFC 7636 section 4.5, RFC 9449 section 10.
    private func redeem(
        _ form: FormFields,
        _ client: IssuerClient,
        _ binding: TokenBinding?,
        at now: UnixTime
    ) async throws(OAuthError) -> EndpointResult {
        guard let code = form["code"] else { throw .invalidRequest("code is missing") }
        guard let redirectURI = form["redirect_uri"] else { throw .invalidRequest("redirect_uri is missing") }
        let verifier = form["code_verifier"]
        guard verifier != nil || !client.needsPKCE else { throw .invalidRequest("code_verifier is missing") }
        guard verifier.map(CodeVerifier.isWellFormed) ?? true else {
            throw .invalidRequest("code_verifier is not 43 to 128 unreserved characters")
        }
        let found = try await mappingErrors(OAuthError.init) { () async throws(StoreError) in
            try await codes.find(code, at: now)
        }
        guard case .fresh(let grant, let fresh) = found else { throw try await refusal(of: found, client, at: now) }
        guard grant.clientID.utf8.elementsEqual(client.id.utf8), grant.redirectURI.utf8.elementsEqual(redirectURI.utf8),
            grant.isMet(by: verifier), grant.isBound(to: binding)
        else {
            throw try await invalidate(code, fresh, client, at: now)
        }
        let tokens = try await start(grant, client, binding, at: now)
        try await spend(code, fresh, tokens, client, at: now)
        return response(tokens, subject: grant.subject)
    }

    private func start(
        _ grant: CodeGrant,
        _ client: IssuerClient,
        _ binding: TokenBinding?,
        at now: UnixTime
    ) async throws(OAuthError) -> IssuedTokens {
        guard let account = try await context.account(ofSubject: grant.subject) else {
            throw .invalidGrant("the account no longer exists")
        }
        let opening = SessionOpening(
            subject: account.subject,
            claims: account.tokenClaims(grant.scopes, beside: grant.claims, methods: grant.methods),
            scopes: grant.scopes,
            clientID: client.id,
            device: grant.device,
            address: grant.address,
            nonce: grant.nonce,
            provider: grant.provider,
            binding: binding,
            signedInAt: grant.signedInAt ?? grant.issuedAt,
            authenticatedAt: grant.authenticatedAt,
            isProven: grant.isProven,
            singleSignOn: grant.singleSignOn
        )
        // A subject revoked since the code was issued does not get in with it.
        let planned = IssuerSession.start(opening, sessions.rules, at: grant.issuedAt).session
        guard await !tokens.isRevoked(planned), try await isStillSignedIn(grant) else { throw Self.wrongCode }
        if let seconds = context.secondsToWait(forSessionOf: account.subject, at: now) {
            throw .tooMany("this account signs in too often", retryAfter: seconds)
        }
        let tokens = try await mappingErrors(OAuthError.init) { () async throws(IssuingError) in
            try await sessions.start(opening, at: now)
        }
        try await mappingErrors({ $0.status < 500 ? Self.wrongCode : OAuthError.storeUnavailable }) {
            () async throws(EndpointRefusal) in
            try await context.checkAccount(of: tokens, subject: account.subject, by: grant.provider, at: now)
        }
        // A sign-out meanwhile has ended what it found.
        guard try await isStillSignedIn(grant) else {
            try await end(tokens.sessionID, at: now, "signed out at the issuer")
            throw Self.wrongCode
        }
        return tokens
    }

    /// Uses the code up for the session that was begun with it. The session is begun first, so that a second use of the
    /// code knows which session to end.
    private func spend(
        _ code: String,
        _ fresh: AuthorizationCodes.Fresh,
        _ tokens: IssuedTokens,
        _ client: IssuerClient,
        at now: UnixTime
    ) async throws(OAuthError) {
        let isSpent: Bool
        do throws(StoreError) {
            isSpent = try await codes.spend(fresh, sessionID: tokens.sessionID)
        } catch {
            // Its tokens were never sent. If it cannot be ended, it expires unused.
            try? await end(tokens.sessionID, at: now, "its code could not be used up")
            throw .storeUnavailable
        }
        guard isSpent else {
            try await end(tokens.sessionID, at: now)
            throw try await reuse(of: code, client, at: now)
        }
    }

    /// Invalidates a code that is presented by another client, for another redirect URI, without its verifier or
    /// without its key: it has leaked (RFC 9700 section 4.5), and must not allow guesses.
    private func invalidate(
        _ code: String,
        _ fresh: AuthorizationCodes.Fresh,
        _ client: IssuerClient,
        at now: UnixTime
    ) async throws(OAuthError) -> OAuthError {
        let isInvalidated = try await mappingErrors(OAuthError.init) { () async throws(StoreError) in
            try await codes.spend(fresh, sessionID: nil)
        }
        guard isInvalidated else { return try await reuse(of: code, client, at: now) }
        context.logger.warning(
            "a code was presented with another client, redirect URI, verifier or key: it is invalid from now on",
            metadata: metadata(client)
        )
        return Self.wrongCode
    }

    /// Another request used the code up at the same moment.
    private func reuse(
        of code: String,
        _ client: IssuerClient,
        at now: UnixTime
    ) async throws(OAuthError) -> OAuthError {
        let found = try await mappingErrors(OAuthError.init) { () async throws(StoreError) in
            try await codes.find(code, at: now)
        }
        return try await refusal(of: found, client, at: now)
    }

    /// A second use of a code ends the session it gave (RFC 6749 section 4.1.2).
    private func refusal(
        of found: AuthorizationCodes.Found,
        _ client: IssuerClient,
        at now: UnixTime
    ) async throws(OAuthError) -> OAuthError {
        if case .spent(let sessionID?) = found {
            var metadata = metadata(client)
            metadata["session"] = "\(sessionID)"
            context.logger.warning("a code was used again: its session is ended", metadata: metadata)
            try await end(sessionID, at: now)
        }
        return Self.wrongCode
    }

    private func end(
        _ sessionID: String,
        at now: UnixTime,
        _ reason: String = "authorization code used again"
    ) async throws(OAuthError) {
        try await mappingErrors(OAuthError.init) { () async throws(IssuingError) in
            try await sessions.end(sessionID: sessionID, at: now, reason: reason, leavesBrowser: true)
        }
    }

    /// Whether the session at the issuer goes on in which the code was issued.
    private func isStillSignedIn(_ grant: CodeGrant) async throws(OAuthError) -> Bool {
        guard let group = grant.singleSignOn else { return true }
        return try await mappingErrors(OAuthError.init) { () async throws(StoreError) in
            try await sessions.browsers.isLive(group)
        }
    }

    /// One error for every problem with a code, so that the reason is not revealed.
    private static let wrongCode = OAuthError.invalidGrant(
        "the code is unknown, was used before, has expired, or was not issued for this request"
    )

    private func metadata(_ client: IssuerClient) -> Logger.Metadata {
        ["tenant": "\(context.tenant.name)", "client": "\(client.id)"]
    }
}

// MARK: - A refresh token

extension TokenEndpoint {
    /// RFC 6749 section 6.
    private func refresh(
        _ form: FormFields,
        _ client: IssuerClient,
        _ binding: TokenBinding?,
        _ request: EndpointRequest
    ) async throws(OAuthError) -> EndpointResult {
        guard let token = form["refresh_token"] else { throw .invalidRequest("refresh_token is missing") }
        let scopes = form["scope"].map { $0.split(separator: " ").map(String.init) }
        let tokens = try await mappingErrors(OAuthError.init) { () async throws(IssuingError) in
            try await sessions.refresh(
                token,
                client: .client(client.id),
                scopes: scopes,
                binding: binding,
                // A client with a secret is a server, and no device of the user.
                by: client.isPublic ? SeenClient(request) : nil,
                at: request.now
            )
        }
        return response(tokens, subject: nil)
    }
}
