public import SharedState
public import Tenants
public import Verification

/// A loop's request to exchange the good token of a former issuer for a session of the tenant's own.
public struct AdoptionRequest: Sendable {
    public var tenant: TenantIndex
    /// The token's.
    public var principal: Principal
    /// The client's description of itself.
    public var device: String?
    /// In network byte order; empty if unknown.
    public var clientAddress: [UInt8]

    public init(tenant: TenantIndex, principal: Principal, device: String?, clientAddress: [UInt8]) {
        self.tenant = tenant
        self.principal = principal
        self.device = device
        self.clientAddress = clientAddress
    }
}

/// What came of an ``AdoptionRequest``.
public enum AdoptionOutcome: Sendable {
    /// The tokens of a session that was just begun. Whoever cannot deliver them gives them back:
    /// ``AdoptionService/giveBack(_:)``.
    case adopted(AdoptedSession)
    /// There are none, and nothing is lost.
    ///
    /// - seconds: After which it may be asked again; nil: never for this token.
    case nothing(retryAfter: Double?)
}

/// A session that was begun for one of a former issuer.
public struct AdoptedSession: Sendable {
    public let tokens: DeliveredTokens
    /// The `sid`.
    public let sessionID: String
    let tenant: TenantIndex
    let name: SessionName
    let record: AdoptionRecord
}
