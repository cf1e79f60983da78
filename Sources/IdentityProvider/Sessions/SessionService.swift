public import Logging
public import Store
public import Time
public import Verification

/// A tenant's sessions, and the tokens they get. Instances share sessions by sharing the store.
///
/// The time is given with every call.
public struct SessionService: Sendable {
    /// How often a change is tried anew that others got ahead of; each time one of them had done theirs.
    private static let mostTries = 64
    /// Seconds by which clocks may differ: a revocation outlives the tokens it is for by these.
    static let clockDifference = 600.0

    let rules: IssuerRules
    let records: SessionRecords
    let lists: SessionLists
    let revocations: any RevocationChecks
    let logger: Logger
    private let tokens: SessionTokens

    /// - Parameters:
    ///   - store: Open.
    ///   - keys: Sign with the rules' algorithm.
    public init(
        _ rules: IssuerRules,
        store: any Store,
        keys: any IssuerKeys,
        revocations: any RevocationChecks,
        logger: Logger = Logger(label: "gatehouse.issuer")
    ) {
        self.rules = rules
        self.revocations = revocations
        self.logger = logger
        records = SessionRecords(store, tenant: rules.tenant)
        lists = SessionLists(store, rules, logger)
        tokens = SessionTokens(rules, keys)
    }

    /// Begins a session. When this returns, it survives what its store survives.
    ///
    /// A subject has 256 sessions at most: those that began first are ended for new ones.
    ///
    /// - Returns: Its tokens; an ID token among them, with the nonce, if `openid` is among the scopes.
    public func start(_ opening: SessionOpening, at now: UnixTime) async throws(IssuingError) -> IssuedTokens {
        let (session, refreshToken) = IssuerSession.start(opening, rules, at: now)
        let issued = try await tokens.make(
            session,
            refreshToken,
            boundTo: opening.binding?.confirmation,
            nonce: opening.nonce,
            at: now
        )
        try await asking { () async throws(StoreError) in try await records.add(session, at: now) }
        do throws(IssuingError) {
            try await list(session, at: now)
        } catch {
            // Nobody is given its tokens. If it stays after all, it does no harm: it expires by itself.
            try? await asking { () async throws(StoreError) in try await records.remove(session.id) }
            throw error
        }
        return issued
    }

    /// New tokens for a refresh token, which is used up by it: its successor is among them (RFC 6749 section 6).
    ///
    /// However often and on however many instances one is presented within 30 seconds, it has one successor. Later it
    /// ends the session, and the tokens of it. Whoever is refused as another subject or client, for scopes, or for
    /// another key, has not used it up.
    ///
    /// - Parameters:
    ///   - subject: Whose it has to be; nil: whoever's.
    ///   - client: Who presents it. A session of a client is for that one alone.
    ///   - scopes: What the new access token is to be for, of what was granted; nil: all of it. The session keeps what
    ///     it has.
    ///   - binding: What is proved to be held, and the new access token is bound to: for some clients it has to be.
    public func refresh(
        _ refreshToken: String,
        subject: String? = nil,
        client: RefreshingClient = .none,
        scopes: [String]? = nil,
        binding: TokenBinding? = nil,
        at now: UnixTime
    ) async throws(IssuingError) -> IssuedTokens {
        guard let token = RefreshToken(refreshToken) else { throw .refused(.malformed) }
        let request = RefreshGrantRequest(subject: subject, client: client, binding: binding, scopes: scopes)
        let id = token.sessionID
        for _ in 0..<Self.mostTries {
            let stored = try await read(id)
            var session = stored.session
            let answer = session.answer(to: token, request, at: now)
            switch answer {
            case .refuse(let refusal):
                if refusal == .otherKey {
                    logger.warning("a refresh token came without the key that it is bound to", metadata: metadata(id))
                }
                throw .refused(refusal)
            case .end:
                logger.warning("a refresh token was used again: its session is ended", metadata: metadata(id))
                try await end(sessionID: id, at: now, reason: "refresh token used again")
                throw .refused(.reused)
            case .rotate, .repeated:
                guard rules.allows(binding?.confirmation, for: session.clientID) else { throw .refused(.otherKey) }
                try await endIfRevoked(session, at: now)
            }
            if case .repeated(let sealed) = answer {
                guard let successor = SealedSuccessor.open(sealed, with: token, tenant: rules.tenant) else {
                    throw .unavailable(.garbled("the successor of a refresh token of session \(id)"))
                }
                return try await tokens.make(
                    session,
                    successor,
                    scopes: scopes,
                    boundTo: binding?.confirmation,
                    at: now
                )
            }
            let successor = try rotate(&session, token, binding, at: now)
            let issued = try await tokens.make(
                session,
                successor,
                scopes: scopes,
                boundTo: binding?.confirmation,
                at: now
            )
            if try await replace(stored, with: session, at: now) { return issued }
        }
        throw Self.tooBusy(id)
    }

    /// Whether a refresh token is one of the session with this `sid` by what it says itself.
    public static func names(_ refreshToken: String, session sessionID: String) -> Bool {
        RefreshToken(refreshToken)?.sessionID == sessionID
    }

    /// A new access token for one of a session that is used by its `sid`: for clients whose refresh token is not at
    /// hand.
    ///
    /// - Parameters:
    ///   - subject: Of the token that shows the `sid`, which has been verified.
    ///   - scopes: That token's. One that was narrowed gets no successor: it would be wider, or stand in for the others
    ///     of its session.
    ///   - confirmation: What that token is bound to, and was proved with it. The new one is bound to the same.
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
            // Not only for the longer life: this also fails if the session was ended meanwhile.
            if try await replace(stored, with: session, at: now) { return issued }
        }
        throw Self.tooBusy(sessionID)
    }

    /// Ends a session, known or not: its refresh tokens are good for nothing from here on, and its access tokens are
    /// revoked.
    ///
    /// - Parameter reason: For people, with the revocation.
    public func end(
        sessionID: String,
        at now: UnixTime,
        reason: String = "signed out"
    ) async throws(IssuingError) {
        let session = try await readForEnd(sessionID)
        try await asking { () async throws(StoreError) in
            // In this order: nothing new is issued by the time that what was issued is revoked.
            try await records.remove(sessionID)
            try await revocations.revoke([revocation(ofSession: sessionID, at: now, reason: reason)])
        }
        // The session has ended. An entry that stays is dropped by whoever sees it next.
        if let session { try? await lists.change(session.subject, at: now) { $0.remove([sessionID]) } }
    }

    /// - Returns: Nil for one that is not there, was ended or has expired.
    public func session(_ sessionID: String, at now: UnixTime) async throws(IssuingError) -> IssuerSession? {
        let stored = try await asking { () async throws(StoreError) in try await records.read(sessionID) }
        guard let session = stored?.session, session.isLive(at: now) else { return nil }
        return session
    }
}

// MARK: - Steps

extension SessionService {
    private func read(_ id: String) async throws(IssuingError) -> SessionRecords.Stored {
        guard let stored = try await asking({ () async throws(StoreError) in try await records.read(id) }) else {
            throw .refused(.unknownSession)
        }
        return stored
    }

    /// - Returns: Nil where there is none, or none that can be read: that one can be ended all the same.
    private func readForEnd(_ id: String) async throws(IssuingError) -> IssuerSession? {
        do throws(StoreError) {
            return try await records.read(id)?.session
        } catch .garbled(_) {
            return nil
        } catch {
            throw .unavailable(error)
        }
    }

    private func endIfRevoked(_ session: IssuerSession, at now: UnixTime) async throws(IssuingError) {
        guard await revocations.isRevoked(session, tenant: rules.tenant) else { return }
        // The tokens too: an instance that did not know of it yet may have issued some since.
        try await end(sessionID: session.id, at: now, reason: "its subject or tenant was revoked")
        throw .refused(.revoked)
    }

    private func rotate(
        _ session: inout IssuerSession,
        _ token: RefreshToken,
        _ binding: TokenBinding?,
        at now: UnixTime
    ) throws(IssuingError) -> RefreshToken {
        do throws(SigningProblem) {
            return try session.rotate(token, binding, rules, at: now)
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
        return try await asking { () async throws(StoreError) in
            try await records.replace(stored, with: session, at: now)
        }
    }

    func asking<Answer>(_ ask: () async throws(StoreError) -> Answer) async throws(IssuingError) -> Answer {
        do throws(StoreError) {
            return try await ask()
        } catch {
            throw .unavailable(error)
        }
    }

    private func metadata(_ id: String) -> Logger.Metadata {
        ["tenant": "\(rules.tenant)", "session": "\(id)"]
    }

    private static func tooBusy(_ id: String) -> IssuingError {
        .unavailable(.unavailable("session \(id) is changed all the time"))
    }
}
