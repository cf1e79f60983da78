public import Logging
public import Store
public import Verification

/// A tenant's sessions, and the tokens they get. Instances share a book by sharing its store.
///
/// Times are Unix seconds, given with every call.
public struct SessionBook: Sendable {
    /// How often a change is tried anew that others got ahead of; each time one of them had done theirs.
    private static let mostTries = 64
    /// Seconds by which clocks may differ: a revocation outlives the tokens it is for by these.
    private static let clockDifference = 600.0

    private let rules: IssuerRules
    private let store: any Store
    private let records: SessionRecords
    private let mint: TokenMint
    private let logger: Logger

    /// - Parameters:
    ///   - store: Open.
    ///   - mint: Signs with the rules' algorithm.
    public init(
        _ rules: IssuerRules,
        store: any Store,
        mint: TokenMint,
        logger: Logger = Logger(label: "gatehouse.issuer")
    ) {
        self.rules = rules
        self.store = store
        self.mint = mint
        self.logger = logger
        records = SessionRecords(store, tenant: rules.tenant)
    }

    /// Begins a session. When this returns, it survives what its store survives.
    ///
    /// - Parameters:
    ///   - claims: What the tokens say besides what is the issuer's to say.
    ///   - clientID: The OAuth client, if it is one's.
    ///   - device: What the client says it is; 256 bytes of it are kept.
    public func start(
        subject: String,
        claims: JSONObject,
        clientID: String? = nil,
        device: String? = nil,
        at now: Double
    ) async throws(IssuingError) -> IssuedTokens {
        let (session, refreshToken) = IssuerSession.start(
            subject: subject,
            claims: claims,
            clientID: clientID,
            device: device,
            rules,
            at: now
        )
        let tokens = try await tokens(of: session, refreshToken, at: now)
        try await asking { () async throws(StoreError) in
            try await records.add(session, lifetime: rules.longestSession)
        }
        return tokens
    }

    /// New tokens for a refresh token, which is used up by it: its successor is among them (RFC 6749 section 6).
    ///
    /// However often and on however many instances one is presented within 30 seconds, it has one successor. Later it
    /// ends the session, and the tokens of it.
    ///
    /// - Parameter subject: Whose it has to be; it is not used up if it is someone else's. Nil: whoever's.
    public func refresh(
        _ refreshToken: String,
        subject: String? = nil,
        at now: Double
    ) async throws(IssuingError) -> IssuedTokens {
        guard let token = RefreshToken(refreshToken) else { throw .refused(.malformed) }
        let id = token.sessionID
        for _ in 0..<Self.mostTries {
            let stored = try await read(id)
            var session = stored.session
            switch session.answer(to: token, subject: subject, at: now) {
            case .refuse(let refusal): throw .refused(refusal)
            case .end:
                logger.warning("a refresh token was used again: its session is ended", metadata: metadata(id))
                try await end(sessionID: id, at: now, reason: "refresh token used again")
                throw .refused(.reused)
            case .repeated(let sealed):
                guard let successor = SealedSuccessor.open(sealed, with: token, tenant: rules.tenant) else {
                    throw .unavailable(.garbled("the successor of a refresh token of session \(id)"))
                }
                return try await tokens(of: session, successor, at: now)
            case .rotate:
                let successor = try rotate(&session, token, at: now)
                let tokens = try await tokens(of: session, successor, at: now)
                if try await replace(stored, with: session) { return tokens }
            }
        }
        throw Self.tooBusy(id)
    }

    /// Whether a refresh token is one of the session with this `sid` by what it says itself.
    public static func names(_ refreshToken: String, session sessionID: String) -> Bool {
        RefreshToken(refreshToken)?.sessionID == sessionID
    }

    /// A new access token for one of a session that is used by its `sid`: for clients whose refresh token is not at hand.
    ///
    /// - Parameter subject: Of the token that shows the `sid`, which has been verified.
    public func renew(
        sessionID: String,
        subject: String,
        at now: Double
    ) async throws(IssuingError) -> IssuedTokens {
        for _ in 0..<Self.mostTries {
            let stored = try await read(sessionID)
            var session = stored.session
            guard session.belongs(to: subject) else { throw .refused(.otherSubject) }
            guard session.isLive(at: now) else { throw .refused(.expired) }
            session.use(rules, at: now)
            let tokens = try await tokens(of: session, nil, at: now)
            // Not only for the longer life: this also fails if the session was ended meanwhile.
            if try await replace(stored, with: session) { return tokens }
        }
        throw Self.tooBusy(sessionID)
    }

    /// Ends a session, known or not: its refresh tokens are good for nothing from here on, and its access tokens are
    /// revoked.
    ///
    /// - Parameter reason: For people, with the revocation.
    public func end(
        sessionID: String,
        at now: Double,
        reason: String = "signed out"
    ) async throws(IssuingError) {
        let revocation = Revocation(
            tenant: rules.tenant,
            target: .session(sessionID),
            revokedAt: now,
            expiresAt: now + rules.access.seconds + Self.clockDifference,
            reason: reason
        )
        try await asking { () async throws(StoreError) in
            // In this order: nothing new is issued by the time that what was issued is revoked.
            try await records.remove(sessionID)
            _ = try await store.revoke([revocation])
        }
    }

    /// - Returns: Nil for one that is not there, was ended or has expired.
    public func session(_ sessionID: String, at now: Double) async throws(IssuingError) -> IssuerSession? {
        let stored = try await asking { () async throws(StoreError) in try await records.read(sessionID) }
        guard let session = stored?.session, session.isLive(at: now) else { return nil }
        return session
    }
}

// MARK: - Steps

extension SessionBook {
    private func read(_ id: String) async throws(IssuingError) -> SessionRecords.Stored {
        guard let stored = try await asking({ () async throws(StoreError) in try await records.read(id) }) else {
            throw .refused(.unknownSession)
        }
        return stored
    }

    private func rotate(
        _ session: inout IssuerSession,
        _ token: RefreshToken,
        at now: Double
    ) throws(IssuingError) -> RefreshToken {
        do throws(SigningProblem) {
            return try session.rotate(token, rules, at: now)
        } catch {
            throw .cannotSign(error)
        }
    }

    private func replace(
        _ stored: SessionRecords.Stored,
        with session: IssuerSession
    ) async throws(IssuingError) -> Bool {
        try await asking { () async throws(StoreError) in try await records.replace(stored, with: session) }
    }

    private func tokens(
        of session: IssuerSession,
        _ refreshToken: RefreshToken?,
        at now: Double
    ) async throws(IssuingError) -> IssuedTokens {
        let accessToken: String
        do throws(SigningProblem) {
            accessToken = try await mint.sign(AccessTokenClaims.make(session, rules, at: now))
        } catch {
            throw .cannotSign(error)
        }
        return IssuedTokens(
            accessToken: accessToken,
            refreshToken: refreshToken?.text,
            accessExpiresAt: Double(AccessTokenClaims.expiry(rules, at: now)),
            expiresIn: Int(rules.access.seconds),
            sessionID: session.id,
            sessionExpiresAt: session.expiresAt
        )
    }

    private func asking<Answer>(
        _ ask: () async throws(StoreError) -> Answer
    ) async throws(IssuingError) -> Answer {
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
