public import Time
public import Verification

/// What a refresh token stands for: someone who signed in with a client.
public struct IssuerSession: Sendable, Equatable {
    /// Bytes of ``device`` that are kept.
    private static let longestDevice = 256

    /// The `sid`: 128 random bits in base64url.
    public let id: String
    public let subject: String
    /// Beyond what the issuer says itself: `email`, `name`, `role` and what else the tokens carry.
    public let claims: JSONObject
    /// The granted scopes.
    public let scopes: [String]
    /// The OAuth client; nil for the tenant's own apps, which have none.
    public let clientID: String?
    /// What the client says it is, for people.
    public let device: String?
    /// Who vouched for the subject.
    public let provider: String?
    /// The time of the sign-in.
    public let createdAt: UnixTime
    /// When tokens were last issued.
    public private(set) var lastUsedAt: UnixTime
    /// When it ends if it is not used again.
    public private(set) var expiresAt: UnixTime
    /// What whoever refreshes it has to prove to hold, and its access tokens are bound to; nil: nothing.
    public private(set) var confirmation: Confirmation?
    private(set) var family: RefreshFamily

    init(
        id: String,
        subject: String,
        claims: JSONObject,
        scopes: [String],
        clientID: String?,
        device: String?,
        provider: String?,
        createdAt: UnixTime,
        lastUsedAt: UnixTime,
        expiresAt: UnixTime,
        confirmation: Confirmation?,
        family: RefreshFamily
    ) {
        self.id = id
        self.subject = subject
        self.claims = claims
        self.scopes = scopes
        self.clientID = clientID
        self.device = device
        self.provider = provider
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
        self.confirmation = confirmation
        self.family = family
    }

    public func isLive(at now: UnixTime) -> Bool { now < expiresAt }

    /// Whether it is `subject`'s, byte for byte.
    func belongs(to subject: String) -> Bool { self.subject.utf8.elementsEqual(subject.utf8) }
}

// MARK: - What happens to it

extension IssuerSession {
    /// What a refresh token gets at the session it names.
    enum Answer: Sendable, Equatable {
        /// A successor: the session goes on.
        case rotate
        /// The successor that it got before, sealed.
        case repeated(sealedSuccessor: [UInt8])
        /// Nothing, and the session has to end.
        case end
        case refuse(IssuingRefusal)
    }

    /// Someone signs in.
    ///
    /// - Parameter opening: Those of its claims that are the issuer's to make are passed over.
    /// - Returns: The session, and its first refresh token.
    static func start(
        _ opening: SessionOpening,
        _ rules: IssuerRules,
        at now: UnixTime
    ) -> (session: IssuerSession, refreshToken: RefreshToken) {
        let id = RandomBytes.make(RefreshToken.sessionLength)
        let key = RandomBytes.make(32)
        let token = RefreshToken(sessionID: id, familyKey: key)
        let session = IssuerSession(
            id: Base64URL.encode(id),
            subject: opening.subject,
            claims: AccessTokenClaims.withoutReserved(opening.claims),
            scopes: opening.scopes,
            clientID: opening.clientID,
            device: opening.device.map(shortened),
            provider: opening.provider,
            createdAt: now,
            lastUsedAt: now,
            expiresAt: now + rules.refresh.seconds,
            confirmation: opening.binding?.ofSession,
            family: RefreshFamily(key: key, currentHash: token.hash)
        )
        return (session, token)
    }

    func answer(to token: RefreshToken, _ request: RefreshGrantRequest, at now: UnixTime) -> Answer {
        let answer: Answer
        switch family.standing(of: token, at: now) {
        // Who made a token up learns no more of a session than that it is not his.
        case .foreign: return .refuse(.unknownSession)
        case .spent: answer = .end
        case .current: answer = .rotate
        case .rotated(let sealed): answer = .repeated(sealedSuccessor: sealed)
        }
        guard isLive(at: now) else { return .refuse(.expired) }
        // Without its key no token of it, spent or not, gets anybody anything: a thief who tries one does no harm, and
        // must not be able to by having the session ended for its owner (RFC 9700 section 4.14.2 has tokens either
        // bound to their sender or found out when they are used twice; these are bound).
        guard confirmation?.isMet(by: request.binding?.confirmation) ?? true else { return .refuse(.otherKey) }
        // Used too long ago it is in two hands, whoever's they are.
        guard answer != .end else { return .end }
        return request.refusal(by: self).map(Answer.refuse) ?? answer
    }

    /// `token`, the current one, is used.
    ///
    /// - Parameter binding: From here on the session is bound to this too, if it is for sessions.
    /// - Returns: Its successor.
    mutating func rotate(
        _ token: RefreshToken,
        _ binding: TokenBinding?,
        _ rules: IssuerRules,
        at now: UnixTime
    ) throws(SigningProblem) -> RefreshToken {
        let id = Array(token.bytes.prefix(RefreshToken.sessionLength))
        let successor = RefreshToken(sessionID: id, familyKey: family.key)
        guard let sealed = SealedSuccessor.seal(successor, with: token, tenant: rules.tenant) else {
            throw .notSealed
        }
        family.rotate(to: successor, sealed: sealed, at: now)
        confirmation = binding?.ofSession ?? confirmation
        use(rules, at: now)
        return successor
    }

    /// It was used: it is good for longer, but for no longer than any.
    mutating func use(_ rules: IssuerRules, at now: UnixTime) {
        family.forgetRotations(at: now)
        lastUsedAt = max(lastUsedAt, now)
        expiresAt = min(max(expiresAt, now + rules.refresh.seconds), createdAt + rules.longestSession.seconds)
    }

    /// Without control characters, and cut at a character's end.
    private static func shortened(_ device: String) -> String {
        var text = ""
        for scalar in device.unicodeScalars where scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) {
            guard text.utf8.count + scalar.utf8.count <= longestDevice else { break }
            text.unicodeScalars.append(scalar)
        }
        return text
    }
}

extension IssuerSession: CustomStringConvertible, CustomReflectable {
    /// Not whose it is: what is printed may be logged.
    public var description: String { "session \(id)" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
