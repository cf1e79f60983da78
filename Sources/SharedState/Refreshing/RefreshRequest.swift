public import Tenants
public import Time
public import Verification

/// A session that wants new tokens, and what is known of it: what a loop asks the ``RefreshService`` with.
public struct RefreshRequest: Sendable {
    /// Why.
    public enum Trigger: Sendable {
        /// The backend's 401 to a good token.
        case unauthorized
        /// The token has expired, within the tenant's grace.
        case expired
        /// The token will expire soon.
        case ahead
    }

    public let tenant: TenantIndex
    let trigger: Trigger
    /// The access token as the client sent it.
    public let accessToken: [UInt8]
    /// What it was verified as, whether or not it has expired since.
    public let principal: Principal
    /// From the client's cookie; nil where the tenant takes it from elsewhere, or needs none.
    public let refreshToken: [UInt8]?
    /// The request's host, for a call to the backend.
    public let host: [UInt8]
    /// Until when an answer is of use. The refresh itself goes on.
    public var deadline: MonotonicTime

    public init(
        tenant: TenantIndex,
        trigger: Trigger,
        accessToken: [UInt8],
        principal: Principal,
        refreshToken: [UInt8]?,
        host: [UInt8],
        deadline: MonotonicTime
    ) {
        self.tenant = tenant
        self.trigger = trigger
        self.accessToken = accessToken
        self.principal = principal
        self.refreshToken = refreshToken
        self.host = host
        self.deadline = deadline
    }

    var session: SessionName { SessionName(principal) }
}

/// What a session goes by in the store and between instances: the access token's `sid`, else its `jti`, else its signing
/// input, and whose it is: two subjects that share an identifier have two sessions. A digest of it, so that no key of the
/// store gives one away.
public struct SessionName: Sendable, Hashable {
    /// 32 bytes.
    let digest: [UInt8]

    /// - Parameter digest: As an announcement of another instance has it.
    init(digest: [UInt8]) {
        self.digest = digest
    }

    init(_ principal: Principal) {
        let (kind, name): (String, [UInt8]) =
            if let session = principal.sessionID {
                ("sid", Array(session.utf8))
            } else if let token = principal.tokenID {
                ("jti", Array(token.utf8))
            } else {
                ("jws", principal.signingInputSHA256 ?? [])
            }
        // The lengths keep two different names from running together into the same bytes.
        let subject = principal.subject.map { "\($0.utf8.count) \($0)" } ?? "-"
        let prefix = "\(kind) \(principal.issuer.utf8.count) \(principal.issuer) \(subject) "
        digest = SHA256.digest(Array(prefix.utf8) + name)
    }
}

/// What came of a request for new tokens.
public enum RefreshOutcome: Sendable {
    /// - isShared: Whether another request, maybe of another instance, had them got.
    case renewed(Renewal, isShared: Bool)
    /// The provider will not have the session any more: it is over.
    case refused(RefreshFailure)
    /// Nothing is known against the session, but there are no new tokens either.
    case unavailable(RefreshFailure)
}

/// New tokens of a session, checked: the access token is good, and speaks of the same subject as the old one.
public struct Renewal: Sendable {
    /// A cookie for the client.
    public struct Cookie: Sendable, Equatable {
        public var name: String
        /// Nothing but what may stand in a cookie's value (RFC 6265 section 4.1.1).
        public var value: [UInt8]
        /// nil where nothing says so.
        public var expiresAt: UnixTime?

        public init(name: String, value: [UInt8], expiresAt: UnixTime? = nil) {
            self.name = name
            self.value = value
            self.expiresAt = expiresAt
        }
    }

    public let accessToken: [UInt8]
    /// What the access token was verified as.
    public let principal: Principal
    /// The values of the tenant's `deliver.cookies`.
    public let cookies: [Cookie]
    /// Until when the old token stands for the new one.
    public let usableUntil: MonotonicTime
}

/// Why there are no new tokens; the log's word for it.
public enum RefreshFailure: String, Sendable, CaseIterable, Error {
    /// The provider answered 4xx, and by that the session is over.
    case refused
    /// The session was revoked or signed out, before or meanwhile.
    case revoked
    /// There is no refresh token: no cookie, or none in the vault.
    case noRefreshToken = "no_refresh_token"
    /// The refresh token has been used up by an earlier refresh, and what that brought is gone.
    case spentToken = "spent_token"
    /// No connection to the provider, or it broke.
    case network
    /// The provider answered 5xx, asked to be left alone (408, 425, 429), or takes the gateway for the one at fault.
    case providerFailed = "provider_failed"
    /// The provider did not answer in time.
    case timeout
    /// The answer is no JSON with the tokens in it.
    case garbledAnswer = "garbled_answer"
    /// The answer is longer than any that holds tokens.
    case tooLargeAnswer = "too_large_answer"
    /// The new token is not one that this tenant accepts.
    case badToken = "bad_token"
    /// The new token is another subject's.
    case otherSubject = "other_subject"
    /// The provider gave the old token again.
    case sameToken = "same_token"
    /// The backend refuses a token that a refresh has just brought: another would not do better.
    case justRefreshed = "just_refreshed"
    /// Too many wait already.
    case overloaded
    /// The refresh token, or whether another instance has used it, is in the store, and that is away.
    case storeUnavailable = "store_unavailable"
    /// It took longer than the request could wait; the refresh goes on.
    case late
}
