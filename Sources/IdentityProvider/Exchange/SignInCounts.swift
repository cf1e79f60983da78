import Synchronization
public import Tenants

/// How often people signed in with a provider's token, and what it came to: for metrics.
public final class SignInCounts: Sendable {
    /// What a sign-in came to: a closed set, fit for a label.
    public enum Outcome: String, Sendable, CaseIterable {
        /// A new session.
        case issued
        /// The answer that the same request got before.
        case repeated
        /// Checked, and sent on to the backend.
        case forwarded
        /// Sent on to the backend without proof: a legacy body.
        case unverified
        case refused
        /// The store, the provider or the account hook could not be asked.
        case unavailable
    }

    /// Labels of `gatehouse_sign_ins_total`.
    public struct SignInLabels: Sendable, Hashable {
        public var tenant: String
        public var provider: SignIn.Provider
        public var outcome: Outcome
    }

    /// Labels of `gatehouse_legacy_sign_ins_total`.
    public struct LegacyLabels: Sendable, Hashable {
        public var tenant: String
        public var decision: AppleSignIn.LegacyBody
    }

    /// Both counters at one moment.
    public struct Snapshot: Sendable, Equatable {
        public var signIns: [SignInLabels: Int] = [:]
        public var legacy: [LegacyLabels: Int] = [:]

        public init() {}
    }

    private let counts = Mutex(Snapshot())

    public init() {}

    public func snapshot() -> Snapshot { counts.withLock { $0 } }

    /// - Parameter tenant: Its name in tenants.yaml.
    public func count(tenant: String, provider: SignIn.Provider, outcome: Outcome) {
        let labels = SignInLabels(tenant: tenant, provider: provider, outcome: outcome)
        counts.withLock { $0.signIns[labels, default: 0] += 1 }
    }

    /// A body that proves nothing.
    ///
    /// - Returns: How many this tenant has had with that decision.
    @discardableResult
    public func countLegacy(tenant: String, decision: AppleSignIn.LegacyBody) -> Int {
        let labels = LegacyLabels(tenant: tenant, decision: decision)
        return counts.withLock { counts in
            counts.legacy[labels, default: 0] += 1
            return counts.legacy[labels, default: 0]
        }
    }
}

extension SignInCounts.Outcome {
    /// What a sign-in that was stopped comes to.
    init(_ stop: SignInStop) {
        let status =
            switch stop.answer {
            case .refused(let refusal): refusal.status
            case .response(let response): response.status
            case .forward: 0
            }
        self = status >= 500 ? .unavailable : .refused
    }
}
