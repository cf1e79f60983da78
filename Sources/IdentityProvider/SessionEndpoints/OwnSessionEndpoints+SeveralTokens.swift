import Time
import Verification

/// The token of a request that counts, where there are tokens at several locations.
struct CountedToken {
    var token: PresentedToken
    /// Further tokens of the same subject: good ones, and for a sign-out those that expired lately.
    var others: [Principal] = []
}

extension OwnSessionEndpoints {
    /// The first good token counts, as for the backend's paths; the first one if none is good, so that its refusal is
    /// the response. At a sign-out one that has expired lately counts before one that is no good at all.
    ///
    /// - Parameter isForEnd: Whether the sessions are to end: then those of expired tokens of the same subject are among
    ///   them. A browser may have kept a refresh token for such a session, which would sign in the next request.
    /// - Throws: A refusal of a request with good tokens of different subjects, and one that says that a token cannot be
    ///   judged now.
    /// - Returns: Nil for a request without a token.
    func countedToken(
        of request: EndpointRequest,
        _ sessions: SessionService,
        isForEnd: Bool = false
    ) async throws(EndpointRefusal) -> CountedToken? {
        guard let first = request.presentedToken else { return nil }
        guard !request.furtherTokens.isEmpty else { return CountedToken(token: first) }
        var judged: [JudgedToken] = []
        for presented in [first] + request.furtherTokens {
            do throws(EndpointRefusal) {
                let token = try await judge(presented, at: request.now, isForEnd: isForEnd)
                try await refuseEnded(token.principal, sessions, at: request.now)
                judged.append(token)
            } catch {
                guard error.status == 401 else { throw error }
            }
        }
        guard let counted = judged.first(where: \.isGood) ?? judged.first else { return CountedToken(token: first) }
        let others = judged.filter { $0.token != counted.token }
        for other in others where other.isGood && !other.isSameSubject(as: counted) { throw .conflictingTokens }
        return CountedToken(
            token: counted.token,
            others: others.filter { $0.isSameSubject(as: counted) }.map(\.principal)
        )
    }

    private func judge(
        _ presented: PresentedToken,
        at now: UnixTime,
        isForEnd: Bool
    ) async throws(EndpointRefusal) -> JudgedToken {
        do throws(EndpointRefusal) {
            return JudgedToken(token: presented, principal: try await verify(presented.token, now, false).get())
        } catch {
            guard isForEnd, error.code == .tokenExpired else { throw error }
            let principal = try await verify(presented.token, now, true).get()
            return JudgedToken(token: presented, principal: principal, isGood: false)
        }
    }
}

/// A token of ours whose session has not ended.
private struct JudgedToken {
    let token: PresentedToken
    let principal: Principal
    /// Whether it has not expired.
    var isGood = true

    /// Of tokens without a subject nobody can say whose they are, unless they are one token.
    func isSameSubject(as other: JudgedToken) -> Bool {
        if token.token == other.token.token { return true }
        guard let subject = principal.subject, let theirs = other.principal.subject else { return false }
        return theirs.utf8.elementsEqual(subject.utf8)
    }
}

extension EndpointRefusal {
    static let conflictingTokens = EndpointRefusal(
        .conflictingTokens,
        status: 400,
        detail: "the request has good tokens of different subjects: send one of them"
    )
}
