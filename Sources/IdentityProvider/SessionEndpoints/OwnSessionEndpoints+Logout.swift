import Store
import Time
import Verification

extension OwnSessionEndpoints {
    /// What a sign-out is for.
    private enum Ending {
        case session(String)
        /// A token of ours that is of no session.
        case token(Principal)
    }

    /// Ends the session that the request is of, and no other. That it has ended already is as good: a sign-out whose
    /// answer was lost comes again.
    ///
    /// An app's token that is sent in a field says which session it is. The cookies that a browser may send besides are
    /// another one's then.
    func logout(_ request: EndpointRequest, _ sessions: SessionService) async throws(EndpointRefusal)
        -> EndpointResponse
    {
        let fromBody = try refreshTokenOfBody(request)
        let access = request.presentedToken
        let isApp = fromBody != nil || access.map { $0.cookie == nil } ?? false
        let refresh = fromBody ?? (isApp ? nil : cookies.refreshToken(of: request))
        let presented = [access, refresh].compactMap { $0 }
        guard !presented.isEmpty else { throw .missing("send the token of the session that is to end") }
        for token in presented { try refuseCrossSite(request, token) }

        // They go in any case: what they hold is good for nothing.
        let clearing = crossSite.allows(request) || crossSite.observes ? cookies.fieldsThatClear(request) : []
        var endings = try await session(of: refresh, sessions, at: request.now).map { [Ending.session($0)] } ?? []
        do throws(EndpointRefusal) {
            if let access { endings.append(try await ending(of: access, request)) }
        } catch {
            guard error.status == 401 else { throw error }
            // One token that is no good is the end of it only where there is no other.
            if refresh == nil { throw error.adding(clearing) }
        }
        for ending in endings { try await end(ending, sessions, at: request.now) }
        return .json(["success": true], fields: clearing)
    }

    private func ending(
        of presented: PresentedToken,
        _ request: EndpointRequest
    ) async throws(EndpointRefusal) -> Ending {
        let principal = try await access(presented, of: request, isForEnd: true)
        return principal.sessionID.map(Ending.session) ?? .token(principal)
    }

    /// The session that a refresh token is really of: its ID alone, which every access token shows, ends nothing.
    ///
    /// - Returns: Nil for one that has ended, and for what is no token of it.
    private func session(
        of refresh: PresentedToken?,
        _ sessions: SessionService,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> String? {
        guard let token = refresh.flatMap({ RefreshToken($0.token) }) else { return nil }
        let session = try await asking { () async throws(IssuingError) in
            try await sessions.session(token.sessionID, at: now)
        }
        let request = RefreshGrantRequest(subject: nil, client: .any, scopes: nil)
        guard let session, session.answer(to: token, request, at: now) != .refuse(.unknownSession) else { return nil }
        return session.id
    }

    /// When this returns, it is over on this instance, and for good.
    private func end(_ ending: Ending, _ sessions: SessionService, at now: UnixTime) async throws(EndpointRefusal) {
        switch ending {
        case .session(let id):
            try await asking { () async throws(IssuingError) in try await sessions.end(sessionID: id, at: now) }
        case .token(let principal):
            let tenant = context.tenant
            // For as long as it may still be worth something: clocks may differ, and an expired one may be refreshed.
            let margin = tenant.authenticate.policy.leeway + tenant.refreshGrace.seconds
            let revocation = Revocation(
                tenant: tenant.name,
                target: Self.target(principal),
                revokedAt: now,
                expiresAt: principal.expiresAt.map { max($0, now) + margin } ?? .distantFuture,
                reason: "signed out"
            )
            do throws(StoreError) {
                try await context.revocations.revoke([revocation])
            } catch {
                throw EndpointRefusal(IssuingError.unavailable(error))
            }
        }
    }

    /// Principals are made with a `jti` or with the hash that stands for it.
    private static func target(_ principal: Principal) -> RevocationTarget {
        principal.tokenID.map { .token(issuer: principal.issuer, tokenID: $0) }
            ?? .signingInput(sha256: principal.signingInputSHA256 ?? [])
    }
}
