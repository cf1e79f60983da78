import ConfigurationText
import Tenants

extension Authorizer {
    /// The result of the token checks.
    enum Authentication {
        case verified(Caller)
        /// Valid except for its expiry, and recent enough to be refreshed.
        case expired(Caller)
        // Indirect, so that a verified caller is passed on as one machine word.
        indirect case refused(Refusal)
        /// The token is valid or expired, and its proof of possession fails, which is only observed.
        indirect case unproven(UnprovenCaller)
        case needs(SlowStep)

        var verifiedCaller: Caller? { if case .verified(let caller) = self { caller } else { nil } }
    }
}

/// The owner of a valid token that came without the proof of possession it needs.
struct UnprovenCaller {
    /// The token's owner; its identity is not forwarded.
    let caller: Caller
    let isExpired: Bool
    /// The refusal in enforce mode.
    let refusal: Refusal
    /// Of the rule that is only observed.
    let line: SourceLine
}
