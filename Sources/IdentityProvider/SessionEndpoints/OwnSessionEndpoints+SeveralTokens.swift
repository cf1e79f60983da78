import Verification

/// The token of a request that counts, where there are tokens at several locations.
struct CountedToken {
    var token: PresentedToken
    /// Further good tokens of the same subject.
    var others: [Principal] = []
}

extension OwnSessionEndpoints {
    /// The first good token counts, as for the backend's paths; the first one if none is good, so that its refusal is
    /// the response.
    ///
    /// - Throws: A refusal of a request with good tokens of different subjects, and one that says that a token cannot be
    ///   judged now.
    /// - Returns: Nil for a request without a token.
    func countedToken(
        of request: EndpointRequest,
        _ sessions: SessionService
    ) async throws(EndpointRefusal) -> CountedToken? {
        guard let first = request.presentedToken else { return nil }
        guard !request.furtherTokens.isEmpty else { return CountedToken(token: first) }
        var good: [(token: PresentedToken, principal: Principal)] = []
        for presented in [first] + request.furtherTokens {
            do throws(EndpointRefusal) {
                let principal = try await verify(presented.token, request.now, false).get()
                try await refuseEnded(principal, sessions, at: request.now)
                good.append((presented, principal))
            } catch {
                guard error.status == 401 else { throw error }
            }
        }
        guard let counted = good.first else { return CountedToken(token: first) }
        let others = good.dropFirst()
        for other in others where other.token.token != counted.token.token {
            guard let subject = counted.principal.subject, let theirs = other.principal.subject,
                theirs.utf8.elementsEqual(subject.utf8)
            else { throw .conflictingTokens }
        }
        return CountedToken(token: counted.token, others: others.map(\.principal))
    }
}

extension EndpointRefusal {
    static let conflictingTokens = EndpointRefusal(
        .conflictingTokens,
        status: 400,
        detail: "the request has good tokens of different subjects: send one of them"
    )
}
