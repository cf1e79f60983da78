import Verification

extension OwnSessionEndpoints {
    /// Issues new tokens for a refresh token, as JSON; for a browser also as cookies.
    func refresh(_ request: EndpointRequest, _ sessions: SessionService) async throws(EndpointRefusal)
        -> EndpointResponse
    {
        guard let presented = try refreshTokenOfBody(request) ?? cookies.refreshToken(of: request) else {
            throw .missing("send { \"refresh_token\": … }, or its cookie")
        }
        try refuseCrossSite(request, presented)
        do throws(EndpointRefusal) {
            return try await renewed(presented, request, sessions)
        } catch {
            guard error.status == 401, presented.cookie != nil else { throw error }
            // Otherwise the browser would keep sending them.
            throw error.adding(cookies.fieldsThatClear(request))
        }
    }

    private func renewed(
        _ presented: PresentedToken,
        _ request: EndpointRequest,
        _ sessions: SessionService
    ) async throws(EndpointRefusal) -> EndpointResponse {
        let now = request.now
        let binding = try await binding(presented, request)
        let tokens = try await mappingErrors(EndpointRefusal.init) { () async throws(IssuingError) in
            try await sessions.refresh(
                presented.token,
                client: .none,
                binding: binding,
                by: SeenClient(request),
                at: now
            )
        }
        let session = try await mappingErrors(EndpointRefusal.init) { () async throws(IssuingError) in
            try await sessions.session(tokens.sessionID, at: now)
        }
        guard let session else { throw EndpointRefusal(IssuingError.refused(.unknownSession)) }
        let user = await user(session.subject, clientID: session.clientID, claims: session.claims)
        return .json(
            SessionResponse.object(tokens, user: user),
            fields: presented.cookie.map { cookies.fields(for: tokens, refreshCookie: $0, at: now) } ?? [],
            subject: session.subject
        )
    }

    /// What the new tokens are bound to. A browser sends its cookies without a proof, so its tokens are never bound.
    private func binding(
        _ presented: PresentedToken,
        _ request: EndpointRequest
    ) async throws(EndpointRefusal) -> TokenBinding? {
        guard presented.cookie == nil else { return nil }
        return try await proving { () async throws(PossessionProblem) in try await possession.key(of: request) }
            .map { TokenBinding(Confirmation(keyThumbprint: $0), bindsSession: true) }
    }
}
