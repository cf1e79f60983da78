import Tenants
public import Time
import TokenSigning
public import Verification

/// The session behind a refresh token: a subject signed in with a client.
public struct IssuerSession: Sendable, Equatable {
    /// Bytes of ``device`` that are stored.
    private static let longestDevice = 256
    /// Seconds after a sign-in for which the account may be changed.
    static let freshness = 900.0

    /// The `sid`: 128 random bits in base64url.
    public let id: String
    public let subject: String
    /// Besides the issuer's own claims: `email`, `name`, `role` and others in the tokens.
    public let claims: JSONObject
    /// The granted scopes.
    public let scopes: [String]
    /// The OAuth client; nil for the tenant's own apps, which have none.
    public let clientID: String?
    /// The description that the client gave of itself when it last used the session, for display.
    public private(set) var device: String?
    /// Where the client was then: its address in text; nil if unknown.
    public private(set) var address: String?
    /// The provider of the identity.
    public let provider: String?
    /// When it began.
    public let createdAt: UnixTime
    /// When the subject signed in here, which it goes back to: not after it began. Revocations of the subject and of all
    /// count against this.
    public let signedInAt: UnixTime
    /// When they proved who they are (`auth_time`), as far as a provider says it: not after it began.
    public let authenticatedAt: UnixTime
    /// Whether they proved it then; false where a provider may have led somebody back whom it knew already.
    public let isProven: Bool
    /// Whether a browser keeps its tokens, or may: begun by `sign_in.web`, by the account page, or by a token of a
    /// former issuer. False for exchanges of apps, for clients of the issuer, and in records of a version that did not
    /// keep it.
    let beganInBrowser: Bool
    /// The group of the browser's session at the issuer that it was begun in; nil for none.
    let singleSignOn: String?
    /// The token of a former issuer that it was begun with; nil for none.
    public let former: FormerToken?
    /// When tokens were last issued.
    public private(set) var lastUsedAt: UnixTime
    /// When it ends unless it is used again.
    public private(set) var expiresAt: UnixTime
    /// What a refresh must prove, and its access tokens are bound to; nil for nothing.
    public private(set) var confirmation: Confirmation?
    private(set) var family: RefreshFamily

    public func isLive(at now: UnixTime) -> Bool { now < expiresAt }

    /// Whether the subject has just proved who they are: what cannot be undone takes that, since a browser may have been left
    /// open.
    func isFresh(at now: UnixTime) -> Bool { isProven && now < authenticatedAt + Self.freshness }

    /// When a token counts as issued: not before the session began, which may be less than a second ahead.
    func issuing(at now: UnixTime) -> UnixTime { max(now, createdAt) }

    /// Whether it is `subject`'s, byte for byte.
    func belongs(to subject: String) -> Bool { self.subject.utf8.elementsEqual(subject.utf8) }
}

// MARK: - Events

extension IssuerSession {
    /// The result of presenting a refresh token.
    enum RefreshDecision: Sendable, Equatable {
        /// A successor: the session goes on.
        case rotate
        /// The successor that was issued before, sealed.
        case repeated(sealedSuccessor: [UInt8])
        /// The same, although the token is used late: that is logged and counted (`log`).
        case reused(sealedSuccessor: [UInt8])
        /// The token stays valid (`off`).
        case keep
        /// Refused, and the session must end.
        case end
        case refuse(IssuingRefusal)
    }

    /// A sign-in begins a session.
    ///
    /// - Parameter opening: Claims that only the issuer may set are dropped.
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
            address: opening.address.flatMap(kept),
            provider: opening.provider,
            createdAt: now,
            signedInAt: min(opening.signedInAt ?? now, now),
            authenticatedAt: min(opening.authenticatedAt ?? now, now),
            isProven: opening.isProven,
            beganInBrowser: opening.beganInBrowser,
            singleSignOn: opening.singleSignOn,
            former: opening.former,
            lastUsedAt: now,
            expiresAt: now + rules.refresh.secondsAsDouble,
            confirmation: opening.binding?.ofSession,
            family: RefreshFamily(key: key, currentHash: token.hash)
        )
        return (session, token)
    }

    /// - Parameter rotation: The issuer's now; the token may have been used under another.
    func decision(
        on token: RefreshToken,
        _ request: RefreshGrantRequest,
        _ rotation: RefreshRotation = .enforce,
        at now: UnixTime
    ) -> RefreshDecision {
        let decision: RefreshDecision
        switch family.status(of: token, at: now) {
        // A made-up token reveals no more of a session than that it does not belong to it.
        case .foreign: return .refuse(.unknownSession)
        case .spent: decision = Self.decision(onLate: token, in: family, rotation)
        case .current: decision = rotation == .off ? .keep : .rotate
        case .rotated(let sealed): decision = .repeated(sealedSuccessor: sealed)
        }
        guard isLive(at: now) else { return .refuse(.expired) }
        // Without the session's key none of its tokens, spent or not, is of use: a thief who tries one does no harm,
        // and must not be able to end the owner's session (RFC 9700 section 4.14.2 requires tokens to be either
        // sender-constrained or rotated; these are sender-constrained).
        guard confirmation?.isMet(by: request.binding?.confirmation) ?? true else { return .refuse(.otherKey) }
        // Reuse after the grace window: the token has leaked or a client is faulty; revoke the family.
        guard decision != .end else { return .end }
        return request.refusal(by: self).map(RefreshDecision.refuse) ?? decision
    }

    /// A token is used after the window.
    private static func decision(
        onLate token: RefreshToken,
        in family: RefreshFamily,
        _ rotation: RefreshRotation
    ) -> RefreshDecision {
        switch rotation {
        case .enforce: .end
        // Which token came after one that is forgotten, nobody knows.
        case .log: family.sealedSuccessor(of: token).map(RefreshDecision.reused) ?? .refuse(.reused)
        // It was replaced when tokens still rotated, and does not become valid again.
        case .off: .refuse(.reused)
        }
    }

    /// The current token is used, and replaced.
    ///
    /// - Parameters:
    ///   - binding: The session is bound to this too, if it applies to sessions.
    ///   - client: Who uses it; nil if that is not to be recorded.
    /// - Returns: Its successor.
    mutating func rotate(
        _ token: RefreshToken,
        _ binding: TokenBinding?,
        by client: SeenClient? = nil,
        _ rules: IssuerRules,
        at now: UnixTime
    ) throws(SigningProblem) -> RefreshToken {
        let id = Array(token.bytes.prefix(RefreshToken.sessionLength))
        let successor = RefreshToken(sessionID: id, familyKey: family.key)
        guard let sealed = SealedSuccessor.seal(successor, with: token, tenant: rules.tenant) else {
            throw .notSealed
        }
        family.rotate(to: successor, sealed: sealed, keepsOld: rules.rotation == .log, at: now)
        record(binding, by: client, rules, at: now)
        return successor
    }

    /// The current token is used, and stays valid.
    mutating func keep(_ binding: TokenBinding?, by client: SeenClient?, _ rules: IssuerRules, at now: UnixTime) {
        record(binding, by: client, rules, at: now)
    }

    private mutating func record(
        _ binding: TokenBinding?,
        by client: SeenClient?,
        _ rules: IssuerRules,
        at now: UnixTime
    ) {
        confirmation = binding?.ofSession ?? confirmation
        if let client {
            device = client.device.map(Self.shortened) ?? device
            address = client.address.flatMap(Self.kept) ?? address
        }
        use(rules, at: now)
    }

    /// A use extends the session, up to its maximum.
    mutating func use(_ rules: IssuerRules, at now: UnixTime) {
        if rules.rotation != .log { family.forgetRotations(at: now) }
        lastUsedAt = max(lastUsedAt, now)
        expiresAt = min(
            max(expiresAt, now + rules.refresh.secondsAsDouble),
            createdAt + rules.longestSession.secondsAsDouble
        )
    }

    private static func kept(_ address: String) -> String? {
        address.utf8.count <= SeenClient.longestAddress ? address : nil
    }

    /// Without control characters, and cut at a character boundary.
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
    /// Without the subject: descriptions may be logged.
    public var description: String { "session \(id)" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
