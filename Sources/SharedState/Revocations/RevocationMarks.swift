public import Store
public import Time
public import Verification

/// What a verified token may be revoked by, worked out once a token.
public struct RevocationMarks: Sendable {
    let token: RevocationDigest
    /// By its `jti`, where something else stands for the token.
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

    /// - Parameter ownIssuer: The `iss` of the tenant's own issuer. Its tokens say when their session began
    ///   (`auth_time`), and fall with what falls of that time: an instance that has not heard of the revocation yet may
    ///   have made one after it.
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
    /// The token that a principal was verified by.
    ///
    /// An opaque one goes by the whole of it: whoever has it and wants it revoked knows nothing else of it.
    public init(tokenOf principal: Principal) {
        if !principal.isOpaque, let tokenID = principal.tokenID {
            self = .token(issuer: principal.issuer, tokenID: tokenID)
        } else {
            // Principals are made with the one or the other.
            self = .signingInput(sha256: principal.signingInputSHA256 ?? [])
        }
    }
}
