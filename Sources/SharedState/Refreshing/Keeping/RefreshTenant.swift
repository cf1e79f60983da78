import Store
public import Tenants
import Time
import Verification

/// A tenant's rules for refreshes.
public struct RefreshTenant: Sendable {
    /// Its name in tenants.yaml.
    public var name: String
    var source: RefreshTokenSource
    /// Seconds by which clocks may differ.
    var leeway: Double
    /// Seconds after its expiry for which a token may be refreshed.
    var grace: Double
    /// What happens while the store is away.
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

    /// Seconds for which a used refresh token is remembered: as long as a client may present it.
    var spentLifetime: Double { min(max(30 * 86_400, leeway + grace), 1e9) }

    /// The revocations that end a session. Where a cookie proves the session, revoking the access token alone does not
    /// end a session with a `sid`.
    func marks(_ principal: Principal) -> RevocationMarks {
        guard case .cookie = source, principal.sessionID != nil else { return RevocationMarks(principal) }
        return RevocationMarks(sessionOf: principal)
    }

    /// The SHA-256 of the credential that would be presented for a request; nil: it is in the vault.
    func presented(_ request: RefreshRequest) -> [UInt8]? {
        switch source {
        case .none: RefreshRecord.digest(request.accessToken)
        case .cookie: RefreshRecord.digest(request.secret)
        case .vault: nil
        }
    }

    /// Whether a request of the same session gets the new tokens.
    ///
    /// - Parameter principal: The new access token's.
    func isFor(_ request: RefreshRequest, _ record: RefreshRecord, _ principal: Principal, at now: UnixTime) -> Bool {
        guard SameBytes.are(principal.issuer, request.principal.issuer),
            SameBytes.are(principal.subject, request.principal.subject)
        else { return false }
        guard case .cookie(let name) = source else { return true }
        return request.refreshToken.map { record.isFor($0, cookie: name, at: now) } ?? false
    }
}

extension RevocationMarks {
    /// Without the token's own.
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

/// The store's keys of one session.
public struct RefreshKeys: Sendable {
    private let tenant: String
    private let session: String

    init(tenant: String, _ name: SessionName) {
        self.tenant = tenant
        session = Hexadecimal.text(name.digest)
    }

    /// New tokens, for requests with the old ones.
    var result: StoreKey { key("refresh-result") }
    /// That there are none. A key of its own, so that it does not replace tokens that clients still need.
    var failure: StoreKey { key("refresh-failure") }
    var lease: StoreKey { key("refresh-lease") }
    /// The refresh token of the last refresh.
    var vault: StoreKey { key("refresh-token") }
    /// The refresh token of the client's own sign-in.
    var captured: StoreKey { key("refresh-captured") }

    /// Marks a used refresh token.
    ///
    /// - Parameter digest: The SHA-256 of the refresh token.
    func spent(_ digest: [UInt8]) -> StoreKey {
        StoreKey(tenant: tenant, kind: "refresh-spent", name: Hexadecimal.text(digest))
    }

    /// Of announcements about sessions.
    public static let topic = "refresh"

    /// The subject of an announcement: tenant, session and event. By the event an instance recognizes its own
    /// announcement.
    func subject(_ event: String) -> String { "\(tenant) \(session) \(event)" }

    private func key(_ kind: String) -> StoreKey { StoreKey(tenant: tenant, kind: kind, name: session) }
}
