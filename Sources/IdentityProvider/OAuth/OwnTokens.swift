import Tenants
import Time
import Verification

/// Tells what the issuer's own tokens are worth.
struct OwnTokens: Sendable {
    /// A refresh token, and what it is to its session now.
    struct Refresh: Sendable {
        let session: IssuerSession
        let standing: RefreshFamily.Standing
    }

    let context: SignInContext
    let sessions: SessionService
    let verifier: OwnTokenVerifier
    let possession: PossessionChecks

    /// Whose a token of this tenant's issuer is, by its signature, its type and its times.
    ///
    /// - Parameter allowExpired: Whether one that was good once will do.
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
        // Nobody is told that a token is good for nothing because the keys are away.
        case .failure(.unavailable): throw .keysUnavailable
        }
    }

    /// - Returns: Nil for an access token that is not good, was revoked, or whose session has ended.
    func access(_ token: String, at now: UnixTime) async throws(OAuthError) -> Principal? {
        guard let principal = try await verify(token, as: .access, at: now), let sessionID = principal.sessionID,
            await !context.revocations.isRevoked(principal, tenant: context.tenant.name)
        else { return nil }
        let session = try await OAuthError.issuing { () async throws(IssuingError) in
            try await sessions.session(sessionID, at: now)
        }
        return session == nil ? nil : principal
    }

    /// The access token that `request` is made with.
    ///
    /// - Returns: Nil as for ``access(_:at:)``.
    /// - Throws: Also where the token is bound to what the request does not prove.
    func access(_ token: String, of request: EndpointRequest) async throws(OAuthError) -> Principal? {
        guard let principal = try await access(token, at: request.now) else { return nil }
        do throws(PossessionProblem) {
            try await possession.check(principal, token, of: request)
        } catch {
            throw possession.error(error)
        }
        return principal
    }

    /// - Returns: Nil for a token that no live session of this tenant ever had.
    func refresh(_ token: String, at now: UnixTime) async throws(OAuthError) -> Refresh? {
        guard let token = RefreshToken(token) else { return nil }
        let session = try await OAuthError.issuing { () async throws(IssuingError) in
            try await sessions.session(token.sessionID, at: now)
        }
        guard let session else { return nil }
        let standing = session.family.standing(of: token, at: now)
        return standing == .foreign ? nil : Refresh(session: session, standing: standing)
    }

    /// Whether the session, its subject or the tenant was revoked.
    func isRevoked(_ session: IssuerSession) async -> Bool {
        await context.revocations.isRevoked(session, tenant: context.tenant.name)
    }
}

extension IssuerClient {
    /// Whether tokens with this `client_id` are its own. Tokens without one are of the tenant's apps, which are public.
    func owns(tokensOf clientID: String?) -> Bool {
        clientID.map { $0.utf8.elementsEqual(id.utf8) } ?? isPublic
    }
}
