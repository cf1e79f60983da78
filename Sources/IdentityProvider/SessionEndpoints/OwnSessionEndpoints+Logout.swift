import Store
import Time
import Verification

extension OwnSessionEndpoints {
    /// What a sign-out ends.
    private enum Ending {
        case session(String)
        /// A token of ours without a session.
        case token(Principal)
    }

    /// Ends the session of the request, and no other. A session that has ended already is a success: a sign-out whose
    /// response was lost is repeated.
    ///
    /// An app's token in a field identifies the session, and a refresh token in a cookie belongs to another one. Of
    /// several access tokens of one subject each one's session ends, of good ones and of those that expired lately.
    func logout(_ request: EndpointRequest, _ sessions: SessionService) async throws(EndpointRefusal)
        -> EndpointResponse
    {
        let fromBody = try refreshTokenOfBody(request)
        let counted = try await countedToken(of: request, sessions, isForEnd: true)
        let access = counted?.token
        let isApp = fromBody != nil || access.map { $0.cookie == nil } ?? false
        let refresh = fromBody ?? (isApp ? nil : cookies.refreshToken(of: request))
        let presented = [access, refresh].compactMap { $0 }
        guard !presented.isEmpty else { throw .missing("send the token of the session to end") }
        for token in presented { try refuseCrossSite(request, token) }

        // The cookies are cleared in any case: their tokens are useless.
        let clearing = crossSite.allows(request) || crossSite.observes ? cookies.fieldsThatClear(request) : []
        var endings = try await session(of: refresh, sessions, at: request.now).map { [Ending.session($0)] } ?? []
        do throws(EndpointRefusal) {
            if let access { endings.append(try await ending(of: access, request)) }
            // Otherwise the next request would be signed in by the token that was left.
            endings += (counted?.others ?? []).map(Self.ending)
        } catch {
            guard error.status == 401 else { throw error }
            // An invalid token is an error only if there is no other.
            if refresh == nil { throw error.adding(clearing) }
        }
        for ending in endings { try await end(ending, sessions, at: request.now) }
        return .json(["success": true], fields: clearing)
    }

    private func ending(
        of presented: PresentedToken,
        _ request: EndpointRequest
    ) async throws(EndpointRefusal) -> Ending {
        Self.ending(try await access(presented, of: request, isForEnd: true))
    }

    private static func ending(_ principal: Principal) -> Ending {
        principal.sessionID.map(Ending.session) ?? .token(principal)
    }

    /// The session of a refresh token, which must be genuine: the session ID alone, which every access token shows,
    /// ends nothing.
    ///
    /// - Returns: Nil if it has ended, or the token is not one of it.
    private func session(
        of refresh: PresentedToken?,
        _ sessions: SessionService,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> String? {
        guard let token = refresh.flatMap({ RefreshToken($0.token) }) else { return nil }
        let session = try await mappingErrors(EndpointRefusal.init) { () async throws(IssuingError) in
            try await sessions.session(token.sessionID, at: now)
        }
        let request = RefreshGrantRequest(subject: nil, client: .any, scopes: nil)
        guard let session, session.decision(on: token, request, at: now) != .refuse(.unknownSession) else { return nil }
        return session.id
    }

    /// When this returns, the session has ended on this instance, and permanently.
    private func end(_ ending: Ending, _ sessions: SessionService, at now: UnixTime) async throws(EndpointRefusal) {
        switch ending {
        case .session(let id):
            try await mappingErrors(EndpointRefusal.init) { () async throws(IssuingError) in
                try await sessions.end(sessionID: id, at: now)
            }
        case .token(let principal):
            let tenant = context.tenant
            // As long as the token might be accepted: clocks may differ, and an expired one may be refreshed.
            let margin = tenant.authenticate.policy.leeway + tenant.refreshGrace.secondsAsDouble
            let revocation = Revocation(
                tenant: tenant.name,
                target: Self.target(principal),
                revokedAt: now,
                expiresAt: principal.expiresAt.map { max($0, now) + margin } ?? .distantFuture,
                reason: "signed out"
            )
            try await mappingErrors({ _ in EndpointRefusal.storeUnavailable }) { () async throws(StoreError) in
                try await context.revocations.revoke([revocation])
            }
        }
    }

    /// Principals have a `jti`, or the hash that replaces it.
    private static func target(_ principal: Principal) -> RevocationTarget {
        principal.tokenID.map { .token(issuer: principal.issuer, tokenID: $0) }
            ?? .signingInput(sha256: principal.signingInputSHA256 ?? [])
    }
}
