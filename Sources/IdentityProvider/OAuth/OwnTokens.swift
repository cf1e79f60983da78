import Tenants
import Time
import TokenSigning
import Verification

/// Checks the issuer's own tokens.
struct OwnTokens: Sendable {
    /// The session of a refresh token, and the status of the token.
    struct Refresh: Sendable {
        let session: IssuerSession
        let status: RefreshFamily.Status
    }

    let context: SignInContext
    let sessions: SessionService
    let verifier: OwnTokenVerifier
    let possession: PossessionChecks

    /// The claims of a token of this tenant's issuer, by signature, type and times.
    ///
    /// - Parameter allowExpired: Whether to accept an expired one.
    /// - Returns: Nil for any other token.
    func verify(
        _ token: String,
        as type: IssuedTokenType,
        at now: UnixTime,
        allowExpired: Bool = false
    ) async throws(OAuthError) -> Principal? {
        switch await verifier.verify(token, as: type, at: now, allowExpired: allowExpired) {
        case .success(let principal): return principal
        case .failure(.refused), .failure(.wrongType): return nil
        // Missing keys must not make a token look invalid.
        case .failure(.unavailable): throw .keysUnavailable
        }
    }

    /// - Returns: Nil for an access token that is invalid or revoked, or whose session has ended.
    func access(_ token: String, at now: UnixTime) async throws(OAuthError) -> Principal? {
        guard let principal = try await verify(token, as: .access, at: now), let sessionID = principal.sessionID,
            await !context.revocations.isRevoked(principal, tenant: context.tenant.name)
        else { return nil }
        let session = try await mappingErrors(OAuthError.init) { () async throws(IssuingError) in
            try await sessions.session(sessionID, at: now)
        }
        return session == nil ? nil : principal
    }

    /// The access token that authenticates `request`.
    ///
    /// - Returns: Nil as for ``access(_:at:)``.
    /// - Throws: Also if the token is bound to something that the request does not prove.
    func access(_ token: String, of request: EndpointRequest) async throws(OAuthError) -> Principal? {
        guard let principal = try await access(token, at: request.now) else { return nil }
        try await mappingErrors(possession.error) { () async throws(PossessionProblem) in
            try await possession.check(principal, token, of: request)
        }
        return principal
    }

    /// - Returns: Nil for a token that never belonged to a live session of this tenant.
    func refresh(_ token: String, at now: UnixTime) async throws(OAuthError) -> Refresh? {
        guard let token = RefreshToken(token) else { return nil }
        let session = try await mappingErrors(OAuthError.init) { () async throws(IssuingError) in
            try await sessions.session(token.sessionID, at: now)
        }
        guard let session else { return nil }
        let status = session.family.status(of: token, at: now)
        return status == .foreign ? nil : Refresh(session: session, status: status)
    }

    /// Whether the session, its subject or the tenant was revoked.
    func isRevoked(_ session: IssuerSession) async -> Bool {
        await context.revocations.isRevoked(session, tenant: context.tenant.name)
    }
}

extension IssuerClient {
    /// Whether tokens with this `client_id` belong to the client. Tokens without one belong to the tenant's apps, which
    /// are public.
    func owns(tokensOf clientID: String?) -> Bool {
        clientID.map { $0.utf8.elementsEqual(id.utf8) } ?? isPublic
    }
}
