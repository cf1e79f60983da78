extension Authorizer {
    /// What is known of who sent a request.
    enum Authentication {
        case verified(Caller)
        /// Good but for its age, and not too old to be refreshed.
        case expired(Caller)
        // Indirect, so that a verified caller is passed on as one word.
        indirect case refused(Refusal)
        /// The token is good or expired, and its proof of possession fails, which is only observed.
        indirect case unproven(UnprovenCaller)
        case needs(SlowStep)

        var verifiedCaller: Caller? { if case .verified(let caller) = self { caller } else { nil } }
    }
}

/// The owner of a good token that came without the proof of possession it needs.
struct UnprovenCaller {
    /// Whose token it is; its identity is not forwarded.
    let caller: Caller
    let isExpired: Bool
    /// What it would be refused with.
    let refusal: Refusal
    /// Of the rule that is only observed.
    let line: Int
}
