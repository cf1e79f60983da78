import Time
import Verification

extension OwnSessionEndpoints {
    /// Shows the subject of the presented access token.
    ///
    /// - Parameter extra: Further members of the response.
    func show(
        _ request: EndpointRequest,
        _ sessions: SessionService,
        extra: JSONObject
    ) async throws(EndpointRefusal) -> EndpointResponse {
        guard let presented = try await countedToken(of: request, sessions)?.token else {
            throw .missing("send an access token")
        }
        try refuseCrossSite(request, presented)
        let principal = try await access(presented, of: request)
        guard let subject = principal.subject else { throw .invalidToken("the token has no subject") }
        try await refuseEnded(principal, sessions, at: request.now)
        let user = await user(subject, clientID: principal.claims["client_id"]?.string, claims: principal.claims)
        var object: JSONObject = ["success": true]
        for member in extra.members { object[member.name] = member.value }
        object["user"] = .object(user)
        return .json(object, subject: subject)
    }

    func refuseEnded(
        _ principal: Principal,
        _ sessions: SessionService,
        at now: UnixTime
    ) async throws(EndpointRefusal) {
        let ended = EndpointRefusal(.tokenRevoked, status: 401, detail: "the session has ended: sign in again")
        guard await !context.revocations.isRevoked(principal, tenant: context.tenant.name) else { throw ended }
        guard let sessionID = principal.sessionID else { return }
        let session = try await mappingErrors(EndpointRefusal.init) { () async throws(IssuingError) in
            try await sessions.session(sessionID, at: now)
        }
        guard session != nil else { throw ended }
    }
}
