public import Store
public import Time
public import Verification

/// The digests by which a verified token may be revoked, computed once a token.
public struct RevocationMarks: Sendable {
    let token: RevocationDigest
    /// By the `jti` of an opaque token, whose `token` is by its text.
    let tokenID: RevocationDigest?
    let session: RevocationDigest?
    let subject: RevocationDigest?
    /// `iat`.
    let issuedAt: UnixTime?

    public static let tenant = RevocationDigest(.tenant)

    public init(
        token: RevocationDigest,
        tokenID: RevocationDigest? = nil,
        session: RevocationDigest?,
        subject: RevocationDigest?,
        issuedAt: UnixTime?
    ) {
        self.token = token
        self.tokenID = tokenID
        self.session = session
        self.subject = subject
        self.issuedAt = issuedAt
    }

    /// - Parameter ownIssuer: The `iss` of the tenant's own issuer, whose tokens count as issued when their session began
    ///   (`auth_time`): an instance without the latest revocations may have issued one after the session was revoked.
    public init(_ principal: Principal, ownIssuer: String? = nil) {
        token = RevocationDigest(RevocationTarget(tokenOf: principal))
        tokenID =
            principal.isOpaque
            ? principal.tokenID.map { RevocationDigest(.token(issuer: principal.issuer, tokenID: $0)) } : nil
        session = principal.sessionID.map { RevocationDigest(.session($0)) }
        subject = principal.subject.map { RevocationDigest(.subject($0)) }
        let isOwn = ownIssuer.map { $0.utf8.elementsEqual(principal.issuer.utf8) } ?? false
        let began = isOwn ? principal.claims["auth_time"]?.double.map(UnixTime.init) : nil
        issuedAt = principal.issuedAt.map { min($0, began ?? $0) }
    }
}

extension RevocationTarget {
    /// The principal's token. An opaque one is identified by its whole text: its holder, who may want it revoked, knows
    /// nothing else of it.
    public init(tokenOf principal: Principal) {
        if !principal.isOpaque, let tokenID = principal.tokenID {
            self = .token(issuer: principal.issuer, tokenID: tokenID)
        } else {
            // Every principal has one of the two.
            self = .signingInput(sha256: principal.signingInputSHA256 ?? [])
        }
    }
}
