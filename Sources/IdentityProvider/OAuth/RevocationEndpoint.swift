import Logging
import Store
import Tenants
import Time
import Verification

/// Token revocation (RFC 7009): a refresh token ends its whole session, an access token only itself.
struct RevocationEndpoint: Sendable {
    let context: SignInContext
    let sessions: SessionService
    let tokens: OwnTokens
    let clients: ClientAuthentication

    /// 200 says that the token is invalid, including one that always was (section 2.2).
    func respond(to request: EndpointRequest) async throws(OAuthError) -> EndpointResult {
        let form = try OAuthForm.read(request)
        let client = try await clients.authenticate(request, form)
        guard let token = form["token"] else { throw .invalidRequest("token is missing") }
        if let refresh = try await tokens.refresh(token, at: request.now) {
            try await end(refresh.session, client, at: request.now)
        } else if let principal = try await tokens.verify(token, as: .access, at: request.now, allowExpired: true) {
            try await revoke(principal, client, at: request.now)
        }
        return .response(EndpointResponse(status: 200, fields: [EndpointResponse.Field("Cache-Control", "no-store")]))
    }

    private func end(
        _ session: IssuerSession,
        _ client: IssuerClient,
        at now: UnixTime
    ) async throws(OAuthError) {
        guard client.owns(tokensOf: session.clientID) else { throw Self.foreign }
        try await mappingErrors(OAuthError.init) { () async throws(IssuingError) in
            // It says nothing of the browser, which may be signed in for others.
            try await sessions.end(
                sessionID: session.id,
                at: now,
                reason: "revoked by its client",
                leavesBrowser: true
            )
        }
        context.logger.info(
            "a client revoked a refresh token: its session is ended",
            metadata: [
                "tenant": "\(context.tenant.name)", "client": "\(client.id)", "session": "\(session.id)",
            ]
        )
    }

    private func revoke(
        _ principal: Principal,
        _ client: IssuerClient,
        at now: UnixTime
    ) async throws(OAuthError) {
        guard client.owns(tokensOf: principal.claims["client_id"]?.string) else { throw Self.foreign }
        guard let tokenID = principal.tokenID, let endOfUse = endOfUse(of: principal), now < endOfUse else { return }
        let revocation = Revocation(
            tenant: context.tenant.name,
            target: .token(issuer: principal.issuer, tokenID: tokenID),
            revokedAt: now,
            expiresAt: endOfUse,
            reason: "revoked by its client"
        )
        try await mappingErrors(OAuthError.init) { () async throws(StoreError) in
            try await context.revocations.revoke([revocation])
        }
    }

    /// The time from which the token is useless on any instance's clock, even for a refresh by the gateway
    /// (`refresh.grace`).
    private func endOfUse(of principal: Principal) -> UnixTime? {
        let tenant = context.tenant
        return principal.expiresAt.map {
            $0 + tenant.authenticate.policy.leeway + tenant.refreshGrace.secondsAsDouble
                + SessionService.clockDifference
        }
    }

    private static let foreign = OAuthError.invalidGrant("the token was not issued to this client")
}
