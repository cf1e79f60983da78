public import Store
import Tenants
public import Time
public import Verification

/// The digests by which a verified token may be revoked, computed once a token.
public struct RevocationMarks: Sendable {
    let token: RevocationDigest
    /// By the `jti` of an opaque token, whose `token` is by its text.
    let tokenID: RevocationDigest?
    let session: RevocationDigest?
    let subject: RevocationDigest?
    /// `iat`, or before.
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

    /// A token of a gateway's own issuer counts as issued when its subject signed in there.
    public init(_ principal: Principal) {
        token = RevocationDigest(RevocationTarget(tokenOf: principal))
        tokenID =
            principal.isOpaque
            ? principal.tokenID.map { RevocationDigest(.token(issuer: principal.issuer, tokenID: $0)) } : nil
        session = principal.sessionID.map { RevocationDigest(.session($0)) }
        subject = principal.subject.map { RevocationDigest(.subject($0)) }
        let signedInAt = principal.claims[ReservedClaims.signedInAt]?.double.map(UnixTime.init)
        issuedAt = principal.issuedAt.map { min($0, signedInAt ?? $0) }
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
