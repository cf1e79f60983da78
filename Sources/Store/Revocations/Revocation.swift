public import Time

/// What a revocation refuses.
public enum RevocationTarget: Sendable, Hashable {
    /// One token, by its `iss` and `jti`.
    case token(issuer: String, tokenID: String)
    /// One token without a `jti`, by the SHA-256 of its signing input: another encoding of the signature does not
    /// change it. For an opaque token the hash of the whole.
    case signingInput(sha256: [UInt8])
    /// Every token with this `sid`.
    case session(String)
    /// Every token with this `sub` that was issued before the revocation.
    case subject(String)
    /// Every token of the tenant that was issued before the revocation.
    case tenant

    /// Its name in the admin API.
    public var kind: String {
        switch self {
        case .token: "jti"
        case .signingInput: "token"
        case .session: "session"
        case .subject: "subject"
        case .tenant: "all"
        }
    }
}

/// A requested revocation.
public struct Revocation: Sendable, Equatable {
    /// The tenant's name in tenants.yaml.
    public var tenant: String
    public var target: RevocationTarget
    /// For a subject and a tenant, tokens issued before it are refused.
    public var revokedAt: UnixTime
    /// The time from which the record is dropped; `.distantFuture` for never.
    public var expiresAt: UnixTime
    /// For operators.
    public var reason: String?

    public init(
        tenant: String,
        target: RevocationTarget,
        revokedAt: UnixTime,
        expiresAt: UnixTime = .distantFuture,
        reason: String? = nil
    ) {
        self.tenant = tenant
        self.target = target
        self.revokedAt = revokedAt
        self.expiresAt = expiresAt
        self.reason = reason
    }
}

/// A stored revocation: what lookups need, and a note for operators.
public struct RevocationRecord: Sendable, Equatable {
    public var tenant: String
    public var digest: RevocationDigest
    /// Whether it was withdrawn; kept for a while so that no instance restores it.
    public var isWithdrawn: Bool
    public var revokedAt: UnixTime
    /// `.distantFuture` for never.
    public var expiresAt: UnixTime
    /// Grows with every change in the store: of two records with one digest the greater is the later.
    public var version: UInt64
    public var note: RevocationNote

    public init(
        tenant: String,
        digest: RevocationDigest,
        isWithdrawn: Bool = false,
        revokedAt: UnixTime,
        expiresAt: UnixTime,
        version: UInt64,
        note: RevocationNote
    ) {
        self.tenant = tenant
        self.digest = digest
        self.isWithdrawn = isWithdrawn
        self.revokedAt = revokedAt
        self.expiresAt = expiresAt
        self.version = version
        self.note = note
    }

    public init(_ revocation: Revocation, version: UInt64) {
        self.init(
            tenant: revocation.tenant,
            digest: RevocationDigest(revocation.target),
            revokedAt: revocation.revokedAt,
            expiresAt: revocation.expiresAt,
            version: version,
            note: RevocationNote(revocation)
        )
    }
}

/// The description of a revocation for operators. Contains no token.
public struct RevocationNote: Sendable, Hashable, Codable {
    /// `jti`, `token`, `session`, `subject`, `all`, or `restored` if only the digest was left.
    public var kind: String
    /// The `jti`, `sid` or `sub`; nil for a token without a `jti`.
    public var id: String?
    public var issuer: String?
    public var reason: String?

    public init(kind: String, id: String? = nil, issuer: String? = nil, reason: String? = nil) {
        self.kind = kind
        self.id = id
        self.issuer = issuer
        self.reason = reason
    }

    public init(_ revocation: Revocation) {
        kind = revocation.target.kind
        reason = revocation.reason
        switch revocation.target {
        case .token(let issuer, let tokenID):
            self.issuer = issuer
            id = tokenID
        case .session(let id), .subject(let id): self.id = id
        case .signingInput, .tenant: break
        }
    }

    /// For a record restored by an instance that had only the digest.
    public static let restored = RevocationNote(kind: "restored")
}

extension UnixTime {
    /// The first `iat` after this time: tokens have whole seconds.
    public var nextSecond: UnixTime { UnixTime(seconds.rounded(.down) + 1) }
}
