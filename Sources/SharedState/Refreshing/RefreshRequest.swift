public import Tenants
public import Time
public import Verification

/// A loop's request to the ``RefreshService`` for new tokens of a session.
public struct RefreshRequest: Sendable {
    public enum Trigger: Sendable {
        /// The backend has answered a valid token with 401.
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
    /// The access token's, which may have expired.
    public let principal: Principal
    /// From the client's cookie; nil if the tenant's refreshes use no cookie.
    public let refreshToken: [UInt8]?
    /// The request's host, for a call to the backend.
    public let host: [UInt8]
    /// The request waits until then; the refresh itself goes on.
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

/// Names a session in the store and between instances: a digest of the access token's `sid`, else `jti`, else signing
/// input, with issuer and subject, since two subjects that share an identifier have two sessions. As a digest it
/// discloses no identifier.
public struct SessionName: Sendable, Hashable {
    /// 32 bytes.
    public let digest: [UInt8]

    /// - Parameter digest: As an announcement of another instance has it.
    init(digest: [UInt8]) {
        self.digest = digest
    }

    /// The name of a token's session.
    public init(_ principal: Principal) {
        let (kind, name): (String, [UInt8]) =
            if let session = principal.sessionID {
                ("sid", Array(session.utf8))
            } else if let token = principal.tokenID {
                ("jti", Array(token.utf8))
            } else {
                ("jws", principal.signingInputSHA256 ?? [])
            }
        // The lengths keep different names from having the same bytes.
        let subject = principal.subject.map { "\($0.utf8.count) \($0)" } ?? "-"
        let prefix = "\(kind) \(principal.issuer.utf8.count) \(principal.issuer) \(subject) "
        digest = SHA256.digest(Array(prefix.utf8) + name)
    }
}

/// The outcome of a request for new tokens.
public enum RefreshOutcome: Sendable {
    /// - isShared: Whether another request, maybe at another instance, had them refreshed.
    case renewed(Renewal, isShared: Bool)
    /// The session is over.
    case refused(RefreshFailure)
    /// There are no new tokens, but the session may go on.
    case unavailable(RefreshFailure)
}

/// Verified new tokens of a session; the access token has the same subject as the old one.
public struct Renewal: Sendable {
    /// A cookie for the client.
    public struct Cookie: Sendable, Equatable {
        public var name: String
        /// Only cookie octets (RFC 6265 section 4.1.1).
        public var value: [UInt8]
        /// Nil if unknown.
        public var expiresAt: UnixTime?

        public init(name: String, value: [UInt8], expiresAt: UnixTime? = nil) {
            self.name = name
            self.value = value
            self.expiresAt = expiresAt
        }
    }

    public let accessToken: [UInt8]
    /// The access token's.
    public let principal: Principal
    /// The values of the tenant's `deliver.cookies`.
    public let cookies: [Cookie]
    /// Until when requests with the old token use the new one.
    public let usableUntil: MonotonicTime
}

/// What is delivered to a client: an access token, and cookies with it or with other tokens.
public struct DeliveredTokens: Sendable {
    public var accessToken: [UInt8]
    public var cookies: [Renewal.Cookie]

    public init(accessToken: [UInt8], cookies: [Renewal.Cookie]) {
        self.accessToken = accessToken
        self.cookies = cookies
    }
}

extension Renewal {
    public var delivered: DeliveredTokens { DeliveredTokens(accessToken: accessToken, cookies: cookies) }
}

/// Why there are no new tokens, as the log has it.
public enum RefreshFailure: String, Sendable, CaseIterable, Error {
    /// The provider answered 4xx: the session is over.
    case refused
    /// The session was revoked or signed out.
    case revoked
    /// There is no refresh token: no cookie, or none in the vault.
    case noRefreshToken = "no_refresh_token"
    /// An earlier refresh has used the refresh token, and its result has expired.
    case spentToken = "spent_token"
    /// No connection to the provider, or it broke.
    case network
    /// The provider answered 5xx, 408, 425 or 429, or an error that blames the gateway and not the session.
    case providerFailed = "provider_failed"
    /// The provider did not answer in time.
    case timeout
    /// The response is not JSON, or lacks the tokens.
    case garbledAnswer = "garbled_answer"
    /// The response is too long.
    case tooLargeAnswer = "too_large_answer"
    /// The tenant does not accept the new token.
    case badToken = "bad_token"
    /// The new token is another subject's.
    case otherSubject = "other_subject"
    /// The provider returned the old token.
    case sameToken = "same_token"
    /// The backend answers 401 to a token that was just refreshed: another refresh would not help.
    case justRefreshed = "just_refreshed"
    /// Too many refreshes are waiting.
    case overloaded
    /// The store is away, and without it the refresh token, or whether it was used, is unknown.
    case storeUnavailable = "store_unavailable"
    /// It took longer than the request could wait; the refresh goes on.
    case late
}
