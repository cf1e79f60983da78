/// The kinds of security events that are known: a closed set, whose raw values are labels of metrics.
public enum SecurityEventType: String, Sendable, CaseIterable {
    // Continuous Access Evaluation Profile 1.0 section 3.
    case sessionRevoked = "session_revoked"
    case credentialChange = "credential_change"
    case tokenClaimsChange = "token_claims_change"
    case assuranceLevelChange = "assurance_level_change"
    case deviceComplianceChange = "device_compliance_change"
    case sessionEstablished = "session_established"
    case sessionPresented = "session_presented"
    case riskLevelChange = "risk_level_change"

    // Risk Incident Sharing and Coordination Profile 1.0 section 2, and Google's Cross-Account Protection.
    case sessionsRevoked = "sessions_revoked"
    case accountDisabled = "account_disabled"
    case accountEnabled = "account_enabled"
    case accountPurged = "account_purged"
    case accountCredentialChangeRequired = "account_credential_change_required"
    case credentialCompromise = "credential_compromise"
    case identifierChanged = "identifier_changed"
    case identifierRecycled = "identifier_recycled"
    case tokensRevoked = "tokens_revoked"
    case tokenRevoked = "token_revoked"

    // Shared Signals Framework 1.0 section 8.1.
    case verification
    case streamUpdated = "stream_updated"

    /// One that is not known here.
    case other

    private static let prefix = "https://schemas.openid.net/secevent/"

    /// - Parameter uri: As a token's `events` names it.
    public init(uri: String) {
        guard uri.utf8.starts(with: Self.prefix.utf8) else {
            self = .other
            return
        }
        let parts = uri.dropFirst(Self.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1] == "event-type", parts[2].utf8.count <= 64,
            ["caep", "risc", "oauth", "ssf", "sse"].contains(String(parts[0]))
        else {
            self = .other
            return
        }
        self = Self(rawValue: String(parts[2]).replacing("-", with: "_")) ?? .other
    }

    /// Whether what was issued to the subject before the event must not be used any longer.
    public var endsSessions: Bool {
        switch self {
        case .sessionRevoked, .credentialChange, .sessionsRevoked, .accountDisabled, .accountPurged,
            .accountCredentialChangeRequired, .credentialCompromise, .tokensRevoked:
            true
        case .tokenClaimsChange, .assuranceLevelChange, .deviceComplianceChange, .sessionEstablished,
            .sessionPresented, .riskLevelChange, .accountEnabled, .identifierChanged, .identifierRecycled,
            .tokenRevoked, .verification, .streamUpdated, .other:
            false
        }
    }
}
