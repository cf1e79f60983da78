import Time
import Verification

/// Somebody at the account page, by the session in the cookies.
struct AccountVisitor: Sendable {
    let session: IssuerSession
    let account: Account
    /// New cookies, where the session had to be refreshed.
    let cookies: [EndpointResponse.Field]

    /// What each form has, and no other site can know: it is derived from the key of the session, which no token shows.
    var formToken: String {
        Base64URL.encode(HMACSHA256.code(of: Array("form of the account page".utf8), key: session.family.key))
    }

    func sent(_ token: String?) -> Bool { token.map { PlainText.areEqual($0, formToken) } ?? false }

    /// Whoever finds a browser open later gets no lasting way in, and takes none away.
    func hasJustSignedIn(at now: UnixTime) -> Bool { session.isFresh(at: now) }
}

extension AccountEndpoints {
    /// The visitor of a request; nil if nobody is signed in.
    ///
    /// Only cookies count, and only sessions of the tenant's own apps: a client of the issuer may not change its users'
    /// accounts with their tokens. Sessions that are bound to a key are no browser's.
    ///
    /// - Parameter refreshes: Whether an expired access token is replaced by the refresh token.
    func visitor(
        _ request: EndpointRequest,
        refreshes: Bool = true
    ) async throws(AccountNotice) -> AccountVisitor? {
        guard let (found, fields) = try await session(of: request, refreshes), found.clientID == nil,
            found.confirmation == nil
        else { return nil }
        do throws(AccountProblem) {
            guard let account = try await context.accounts.account(ofSubject: found.subject) else { return nil }
            return AccountVisitor(session: found, account: account, cookies: fields)
        } catch {
            throw .unavailable
        }
    }

    private func session(
        of request: EndpointRequest,
        _ refreshes: Bool
    ) async throws(AccountNotice) -> (IssuerSession, [EndpointResponse.Field])? {
        if let token = cookies.accessToken(of: request) {
            switch await verify(token.token, request.now) {
            case .success(let principal): return try await session(principal, at: request.now).map { ($0, []) }
            case .failure(let refusal) where refusal.status >= 500: throw .unavailable
            case .failure: break
            }
        }
        guard refreshes, let token = cookies.refreshToken(of: request), let cookie = token.cookie else { return nil }
        let tokens: IssuedTokens
        do throws(IssuingError) {
            tokens = try await sessions.refresh(token.token, client: .none, by: SeenClient(request), at: request.now)
        } catch .refused(_) {
            return nil
        } catch {
            throw .unavailable
        }
        let fields = cookies.fields(for: tokens, refreshCookie: cookie, at: request.now)
        return try await stored(tokens.sessionID, at: request.now).map { ($0, fields) }
    }

    private func session(_ principal: Principal, at now: UnixTime) async throws(AccountNotice) -> IssuerSession? {
        guard let id = principal.sessionID, let subject = principal.subject,
            await !context.revocations.isRevoked(principal, tenant: context.tenant.name),
            let session = try await stored(id, at: now), session.belongs(to: subject)
        else { return nil }
        return session
    }

    func stored(_ id: String, at now: UnixTime) async throws(AccountNotice) -> IssuerSession? {
        try await mappingErrors(AccountNotice.init) { () async throws(IssuingError) in
            try await sessions.session(id, at: now)
        }
    }
}
