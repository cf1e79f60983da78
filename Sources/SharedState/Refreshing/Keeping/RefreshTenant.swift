import Store
public import Tenants
import Time
import Verification

/// What keeping a tenant's sessions alive has to know of the tenant.
public struct RefreshTenant: Sendable {
    /// Its name in tenants.yaml.
    public var name: String
    var source: RefreshTokenSource
    /// Seconds that clocks may differ.
    var leeway: Double
    /// Seconds after its end in which a token may be refreshed.
    var grace: Double
    /// What is done while the store is away.
    var withoutStore: RefreshWithoutStore

    public init(
        name: String,
        source: RefreshTokenSource,
        leeway: Double,
        grace: Double,
        withoutStore: RefreshWithoutStore
    ) {
        self.name = name
        self.source = source
        self.leeway = leeway
        self.grace = grace
        self.withoutStore = withoutStore
    }

    /// Seconds for which a refresh token is known to be used up: as long as a client may come back with what it had.
    var spentLifetime: Double { min(max(30 * 86_400, leeway + grace), 1e9) }

    /// What a session may be revoked by. Where who has an access token has not proved the session, the end of the token
    /// alone is not that of a session with a `sid`.
    func marks(_ principal: Principal) -> RevocationMarks {
        guard case .cookie = source, principal.sessionID != nil else { return RevocationMarks(principal) }
        return RevocationMarks(sessionOf: principal)
    }

    /// The SHA-256 of what would be presented to the provider for a request; nil: nobody knows before the vault is
    /// read.
    func presented(_ request: RefreshRequest) -> [UInt8]? {
        switch source {
        case .none: RefreshRecord.digest(request.accessToken)
        case .cookie: RefreshRecord.digest(request.secret)
        case .vault: nil
        }
    }

    /// Whether new tokens are for who makes a request of the same session.
    ///
    /// - Parameters:
    ///   - principal: The new access token's.
    func isFor(_ request: RefreshRequest, _ record: RefreshRecord, _ principal: Principal, at now: UnixTime) -> Bool {
        guard SameBytes.are(principal.issuer, request.principal.issuer),
            SameBytes.are(principal.subject, request.principal.subject)
        else { return false }
        guard case .cookie(let name) = source else { return true }
        return request.refreshToken.map { record.isFor($0, cookie: name, at: now) } ?? false
    }
}

extension RevocationMarks {
    /// All but the token's own.
    fileprivate init(sessionOf principal: Principal) {
        token = Self.noToken
        tokenID = nil
        session = principal.sessionID.map { RevocationDigest(.session($0)) }
        subject = principal.subject.map { RevocationDigest(.subject($0)) }
        issuedAt = principal.issuedAt
    }

    /// No token's signing input is empty.
    private static let noToken = RevocationDigest(.signingInput(sha256: []))
}

/// One session of one tenant.
public struct RefreshSession: Sendable, Hashable {
    public let tenant: TenantIndex
    public let name: SessionName
}

/// Where the store has what belongs to a session.
public struct RefreshKeys: Sendable {
    private let tenant: String
    private let session: String

    init(tenant: String, _ name: SessionName) {
        self.tenant = tenant
        session = Hexadecimal.text(name.digest)
    }

    /// New tokens, for those who still have the old ones.
    var result: StoreKey { key("refresh-result") }
    /// That there are none; apart, so that it does not take the place of tokens that somebody still has to get.
    var failure: StoreKey { key("refresh-failure") }
    var lease: StoreKey { key("refresh-lease") }
    /// The refresh token that the last refresh brought.
    var vault: StoreKey { key("refresh-token") }
    /// The refresh token that the client's own sign-in brought.
    var captured: StoreKey { key("refresh-captured") }

    /// That a refresh token has been used up.
    ///
    /// - Parameter digest: The SHA-256 of the refresh token.
    func spent(_ digest: [UInt8]) -> StoreKey {
        StoreKey(tenant: tenant, kind: "refresh-spent", name: Hexadecimal.text(digest))
    }

    /// Of announcements about sessions.
    public static let topic = "refresh"

    /// What an announcement calls the session: its tenant and its name, and then what happened, so that nobody takes
    /// his own word for news.
    func subject(_ event: String) -> String { "\(tenant) \(session) \(event)" }

    private func key(_ kind: String) -> StoreKey { StoreKey(tenant: tenant, kind: kind, name: session) }
}
