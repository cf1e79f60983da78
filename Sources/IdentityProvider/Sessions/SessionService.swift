public import Events
public import Logging
public import Store
public import Tenants
public import Time
public import TokenSigning
public import Verification

/// A tenant's sessions and their tokens. Instances share sessions through the store.
///
/// The caller passes the time.
public struct SessionService: Sendable {
    /// How often a change is retried after others got in first; each retry means that one of them made progress.
    private static let mostTries = 64
    /// Seconds by which clocks may differ: a revocation outlives its tokens by this.
    static let clockDifference = 600.0

    let rules: IssuerRules
    let records: SessionRecords
    let lists: SessionLists
    let browsers: BrowserGroups
    let revocations: any RevocationChecks
    let logger: Logger
    /// Nil if nobody is told of sessions.
    let outbox: EventOutbox?
    private let reuses: RefreshReuseCounts
    private let tokens: SessionTokens

    /// - Parameters:
    ///   - store: Open.
    ///   - keys: Sign with the rules' algorithm.
    ///   - outbox: Tells others of sessions; nil: nobody is told.
    public init(
        _ rules: IssuerRules,
        store: any Store,
        keys: any IssuerKeys,
        revocations: any RevocationChecks,
        outbox: EventOutbox? = nil,
        reuses: RefreshReuseCounts = RefreshReuseCounts(),
        logger: Logger = Logger(label: "gatehouse.issuer")
    ) {
        self.rules = rules
        self.reuses = reuses
        self.revocations = revocations
        self.logger = logger
        self.outbox = outbox
        records = SessionRecords(store: store, tenant: rules.tenant)
        browsers = BrowserGroups(store: store, tenant: rules.tenant)
        lists = SessionLists(store: store, rules: rules, logger: logger)
        tokens = SessionTokens(rules: rules, keys: keys)
    }

    /// Begins a session. When this returns, it is as durable as the store.
    ///
    /// A subject has at most 256 sessions: another one ends the oldest 33.
    ///
    /// - Returns: Its tokens, with an ID token that has the nonce if `openid` is among the scopes.
    public func start(_ opening: SessionOpening, at now: UnixTime) async throws(IssuingError) -> IssuedTokens {
        var opening = opening
        let signedInAt = await signIn(opening, at: now)
        opening.signedInAt = signedInAt
        let begins = max(now, signedInAt)
        let (session, refreshToken) = IssuerSession.start(opening, rules, at: begins)
        let issued = try await tokens.make(
            session,
            refreshToken,
            boundTo: opening.binding?.confirmation,
            nonce: opening.nonce,
            at: begins
        )
        try await mappingErrors(IssuingError.unavailable) { () async throws(StoreError) in
            try await records.add(session, at: now)
        }
        do throws(IssuingError) {
            try await list(session, at: now)
        } catch {
            // Its tokens were never sent. If it stays after all, it does no harm and expires.
            try? await mappingErrors(IssuingError.unavailable) { () async throws(StoreError) in
                try await records.remove(session.id)
            }
            throw error
        }
        await reportStart(session)
        return issued
    }

    /// Issues new tokens for a refresh token, which is used up: its successor is among them (RFC 6749 section 6).
    ///
    /// Within 30 seconds a token gives the same successor, however often and on however many instances it is presented.
    /// Later it ends the session, and revokes its tokens, unless `refresh_rotation` says otherwise. A request that is refused for its subject, client, scopes or
    /// key does not use the token up.
    ///
    /// - Parameters:
    ///   - subject: The expected subject; nil for any.
    ///   - client: The sender. A client's session is for that client only.
    ///   - scopes: For the new access token, within what was granted; nil for all. The session's scopes do not change.
    ///   - binding: What the request proves, and the new access token is bound to; some clients must have one.
    ///   - seen: What is recorded of the client; nil to keep what is.
    public func refresh(
        _ refreshToken: String,
        subject: String? = nil,
        client: RefreshingClient = .none,
        scopes: [String]? = nil,
        binding: TokenBinding? = nil,
        by seen: SeenClient? = nil,
        at now: UnixTime
    ) async throws(IssuingError) -> IssuedTokens {
        guard let token = RefreshToken(refreshToken) else { throw .refused(.malformed) }
        let request = RefreshGrantRequest(subject: subject, client: client, binding: binding, scopes: scopes)
        let id = token.sessionID
        for _ in 0..<Self.mostTries {
            let stored = try await read(id)
            var session = stored.session
            let next: RefreshToken
            var isUnchanged = false
            switch try await checked(session, token, request, at: now) {
            case .refuse(let refusal): throw .refused(refusal)
            case .end: throw .refused(.reused)
            case .repeated(let sealed), .reused(let sealed):
                guard let successor = SealedSuccessor.open(sealed, with: token, tenant: rules.tenant) else {
                    throw .unavailable(.garbled("the successor of a refresh token of session \(id)"))
                }
                next = successor
                isUnchanged = true
            case .keep:
                session.keep(binding, by: seen, rules, at: now)
                next = token
            case .rotate: next = try rotate(&session, token, binding, by: seen, at: now)
            }
            let issued = try await tokens.make(session, next, scopes: scopes, boundTo: binding?.confirmation, at: now)
            if isUnchanged { return issued }
            guard try await replace(stored, with: session, at: now) else { continue }
            reportRefresh(session, at: now)
            return issued
        }
        throw Self.tooBusy(id)
    }

    /// Whether a refresh token names the session with this `sid`; the token is not verified.
    public static func names(_ refreshToken: String, session sessionID: String) -> Bool {
        RefreshToken(refreshToken)?.sessionID == sessionID
    }

    /// Issues a new access token for a session identified by its `sid`: for clients whose refresh token is not at hand.
    ///
    /// - Parameters:
    ///   - subject: Of the verified token with the `sid`.
    ///   - scopes: That token's. A narrowed token gets no successor: it would have all scopes of the session, or
    ///     replace its other tokens.
    ///   - confirmation: What that token is bound to, proved with the request. The new one is bound to the same.
    public func renew(
        sessionID: String,
        subject: String,
        scopes: [String],
        boundTo confirmation: Confirmation?,
        at now: UnixTime
    ) async throws(IssuingError) -> IssuedTokens {
        for _ in 0..<Self.mostTries {
            let stored = try await read(sessionID)
            var session = stored.session
            guard session.belongs(to: subject) else { throw .refused(.otherSubject) }
            guard session.isLive(at: now) else { throw .refused(.expired) }
            guard session.scopes.allSatisfy(scopes.contains) else { throw .refused(.scopeExceeded) }
            guard session.confirmation?.isMet(by: confirmation) ?? true,
                rules.allows(confirmation, for: session.clientID)
            else { throw .refused(.otherKey) }
            try await endIfRevoked(session, at: now)
            session.use(rules, at: now)
            let issued = try await tokens.make(session, nil, boundTo: confirmation, at: now)
            // Not only to extend the session: this also fails if the session was ended meanwhile.
            guard try await replace(stored, with: session, at: now) else { continue }
            reportRefresh(session, at: now)
            return issued
        }
        throw Self.tooBusy(sessionID)
    }

    /// Ends a session, known or not: its refresh tokens become invalid, and its access tokens are revoked. The
    /// browser's session at the issuer that it was begun in ends too, since it would begin another one without a
    /// question; others that were begun in that go on.
    ///
    /// - Parameters:
    ///   - reason: For operators, stored with the revocation.
    ///   - type: What others are told: `signedOut` if its subject has ended it.
    ///   - isTold: Whether others were told already.
    /// - Throws: If it is not wholly done, which is then to be repeated. Others may have been told already.
    public func end(
        sessionID: String,
        at now: UnixTime,
        reason: String,
        as type: EventType,
        isTold: Bool = false
    ) async throws(IssuingError) {
        try await end(sessionID: sessionID, at: now, reason: reason, as: type, isTold: isTold, leavesBrowser: false)
    }

    /// - Parameter leavesBrowser: Whether the browser stays signed in at the issuer: its user wants no end, or has
    ///   ended that already.
    func end(
        sessionID: String,
        at now: UnixTime,
        reason: String,
        as type: EventType = .revoked,
        isTold: Bool = false,
        leavesBrowser: Bool
    ) async throws(IssuingError) {
        let session = try await mappingErrors(IssuingError.unavailable) {
            () async throws(StoreError) -> IssuerSession? in
            let session = try await readForEnd(sessionID)
            // First, so that whoever has to ask again still finds what there is to tell.
            if let session, !isTold { try await reportEnd(of: session, as: type, reason: reason, at: now) }
            if !leavesBrowser, let group = session?.singleSignOn { try await browsers.end(group) }
            // In this order: if either fails, whoever tries again finds the session. Tokens that are issued in between
            // are revoked with it.
            try await revocations.revoke([revocation(ofSession: sessionID, at: now, reason: reason)])
            try await records.remove(sessionID)
            return session
        }
        // The session has ended. The next reader drops an entry that stays.
        if let session { try? await lists.change(session.subject, at: now) { $0.remove([sessionID]) } }
    }

    /// A session was revoked without being removed: the session at the issuer of the browser that it was begun in ends,
    /// which would begin another one without a question. It does not come back if the revocation is withdrawn.
    ///
    /// - Throws: If it has to be repeated.
    public func endBrowser(ofSession sessionID: String) async throws(StoreError) {
        if let group = try await readForEnd(sessionID)?.singleSignOn { try await browsers.end(group) }
    }

    /// Ends a session whose subject has signed out.
    public func end(sessionID: String, at now: UnixTime) async throws(IssuingError) {
        try await end(sessionID: sessionID, at: now, reason: "signed out", as: .signedOut)
    }

    /// Ends a session for another reason than that its subject has signed out.
    public func end(sessionID: String, at now: UnixTime, reason: String) async throws(IssuingError) {
        try await end(sessionID: sessionID, at: now, reason: reason, as: .revoked)
    }

    /// - Returns: Nil if it does not exist, was ended or has expired.
    public func session(_ sessionID: String, at now: UnixTime) async throws(IssuingError) -> IssuerSession? {
        let stored = try await mappingErrors(IssuingError.unavailable) { () async throws(StoreError) in
            try await records.read(sessionID)
        }
        guard let session = stored?.session, session.isLive(at: now) else { return nil }
        return session
    }
}

// MARK: - Steps

extension SessionService {
    /// What is to be done with a refresh token. A refusal is logged where operators have to know of it, and a session
    /// that has to end has ended.
    private func checked(
        _ session: IssuerSession,
        _ token: RefreshToken,
        _ request: RefreshGrantRequest,
        at now: UnixTime
    ) async throws(IssuingError) -> IssuerSession.RefreshDecision {
        let decision = session.decision(on: token, request, rules.rotation, at: now)
        switch decision {
        case .refuse(.otherKey):
            logger.warning(
                "a refresh token was presented without the key it is bound to",
                metadata: metadata(session.id)
            )
            return decision
        case .refuse(.reused):
            reuses.add(.refused, tenant: rules.tenant)
            logger.warning("a refresh token was used again: it is refused", metadata: metadata(session.id))
            return decision
        case .refuse: return decision
        case .end:
            reuses.add(.ended, tenant: rules.tenant)
            logger.warning("a refresh token was used again: its session is ended", metadata: metadata(session.id))
            try await end(sessionID: session.id, at: now, reason: "refresh token used again", leavesBrowser: true)
            return decision
        case .rotate, .keep, .repeated, .reused: break
        }
        guard rules.allows(request.binding?.confirmation, for: session.clientID) else { throw .refused(.otherKey) }
        try await endIfRevoked(session, at: now)
        if case .reused = decision {
            reuses.add(.answered, tenant: rules.tenant)
            logger.warning(
                "a refresh token was used again: its session goes on (refresh_rotation: log)",
                metadata: metadata(session.id)
            )
        }
        return decision
    }

    /// When its subject has signed in, by its tokens. They have whole seconds: after a revocation of the subject within
    /// that second they would count as issued before it for as long as they live, so they are dated to the next one, which
    /// may be less than a second ahead. Waiting for it instead would hold every sign-in of the tenant up after a
    /// revocation of all. Whoever verifies tokens allows for clocks that differ by more.
    private func signIn(_ opening: SessionOpening, at now: UnixTime) async -> UnixTime {
        let signedInAt = min(opening.signedInAt ?? now, now)
        guard let revoked = await revocations.latestRevocation(ofSubject: opening.subject, tenant: rules.tenant),
            revoked < signedInAt
        else { return signedInAt }
        return max(signedInAt, revoked.nextSecond)
    }

    private func read(_ id: String) async throws(IssuingError) -> SessionRecords.Stored {
        guard
            let stored = try await mappingErrors(
                IssuingError.unavailable,
                { () async throws(StoreError) in
                    try await records.read(id)
                }
            )
        else {
            throw .refused(.unknownSession)
        }
        return stored
    }

    private func endIfRevoked(_ session: IssuerSession, at now: UnixTime) async throws(IssuingError) {
        guard await revocations.isRevoked(session, tenant: rules.tenant) else { return }
        // Its tokens too: an instance that did not know of the revocation may have issued some since.
        try await end(sessionID: session.id, at: now, reason: "its subject or tenant was revoked")
        throw .refused(.revoked)
    }

    private func rotate(
        _ session: inout IssuerSession,
        _ token: RefreshToken,
        _ binding: TokenBinding?,
        by client: SeenClient?,
        at now: UnixTime
    ) throws(IssuingError) -> RefreshToken {
        do throws(SigningProblem) {
            return try session.rotate(token, binding, by: client, rules, at: now)
        } catch {
            throw .cannotSign(error)
        }
    }

    private func replace(
        _ stored: SessionRecords.Stored,
        with session: IssuerSession,
        at now: UnixTime
    ) async throws(IssuingError) -> Bool {
        // Before the record says that it is listed.
        if stored.isUnlisted { try await list(session, at: now) }
        return try await mappingErrors(IssuingError.unavailable) { () async throws(StoreError) in
            try await records.replace(stored, with: session, at: now)
        }
    }

    private func metadata(_ id: String) -> Logger.Metadata {
        ["tenant": "\(rules.tenant)", "session": "\(id)"]
    }

    private static func tooBusy(_ id: String) -> IssuingError {
        .unavailable(.unavailable("session \(id) changes too often to be updated"))
    }
}
