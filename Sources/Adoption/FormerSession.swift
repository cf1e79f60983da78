import IdentityProvider
import Time
import Verification

/// A session of a former issuer, as one of its good tokens shows it.
struct FormerSession: Sendable {
    /// The verified token's.
    let principal: Principal
    /// Of the token, for the tokens of the new session.
    let claims: JSONObject
    /// The client's description of itself.
    let device: String?
    /// The client's address in text.
    let address: String?

    /// - Parameter clientAddress: In network byte order; empty if unknown.
    init(principal: Principal, claims: JSONObject, device: String?, clientAddress: [UInt8]) {
        self.principal = principal
        self.claims = claims
        self.device = device
        address = ClientAddressText.text(of: clientAddress)
    }

    var email: String? { claims["email"]?.string }
    var isEmailVerified: Bool { claims["email_verified"] == .bool(true) }

    /// When its subject signed in, as far as the token says: its `auth_time`, else when it was issued.
    var authenticatedAt: UnixTime? {
        principal.claims["auth_time"]?.double.map(UnixTime.init) ?? principal.issuedAt
    }
}

/// Why a session of a former issuer gets none here; the raw value is logged.
enum AdoptionFailure: String, Error, Sendable, CaseIterable {
    /// The token, its session, its subject or the new one was revoked since the token was issued.
    case revoked
    /// The subject's account was deleted.
    case deletedAccount = "deleted_account"
    /// The account has another role in this realm.
    case otherRole = "other_role"
    /// The tenant's `who` does not let this person in.
    case notAllowed = "not_allowed"
    case refusedByHook = "refused_by_hook"
    /// What goes over into the new tokens is too long.
    case tooManyClaims = "too_many_claims"
    /// The account has got too many sessions within a short time.
    case tooManySessions = "too_many_sessions"
    case hookUnavailable = "hook_unavailable"
    case storeUnavailable = "store_unavailable"
    /// The issuer cannot sign.
    case cannotSign = "cannot_sign"
    /// It took longer than a response may wait.
    case late

    /// Whether trying again soon may help.
    var isTemporary: Bool {
        switch self {
        case .revoked, .deletedAccount, .otherRole, .notAllowed, .refusedByHook, .tooManyClaims: false
        case .tooManySessions, .hookUnavailable, .storeUnavailable, .cannotSign, .late: true
        }
    }
}
