import Synchronization
public import Tenants

/// Counts sign-ins by provider and outcome, for metrics: those of apps with a provider's token, and those in browsers.
public final class SignInCounts: Sendable {
    /// The outcome of a sign-in: a closed set, for use as a label.
    public enum Outcome: String, Sendable, CaseIterable {
        /// A new session.
        case issued
        /// The response that the same request got before.
        case repeated
        /// Checked and sent on to the backend.
        case forwarded
        /// A legacy body, sent on to the backend without proof.
        case unverified
        case refused
        /// Checked, and not among those whom the tenant lets in.
        case notAllowed = "not_allowed"
        /// The user went back at the provider.
        case cancelled
        /// The store, the provider or the account hook was unavailable.
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

    /// What happens to a passkey.
    public enum PasskeyEvent: String, Sendable, CaseIterable {
        case added
        case removed
        /// It has signed its owner in.
        case signedIn = "signed_in"
        /// A response that is not good, for a new one or a sign-in.
        case refused
        /// One of those whose counter went back: there may be a copy of the authenticator.
        case counterWentBack = "counter_went_back"
    }

    /// Labels of `gatehouse_passkeys_total`.
    public struct PasskeyLabels: Sendable, Hashable {
        public var tenant: String
        public var event: PasskeyEvent
    }

    /// What happens to the sessions that browsers have at the issuer.
    public enum SingleSignOnEvent: String, Sendable, CaseIterable {
        /// A sign-in began one.
        case begun
        /// A client got a code within one, without a page.
        case used
        /// A client got a code within one by the button of the page.
        case continued
        /// A sign-out ended one.
        case ended
    }

    /// Labels of `gatehouse_single_sign_ons_total`.
    public struct SingleSignOnLabels: Sendable, Hashable {
        public var tenant: String
        public var event: SingleSignOnEvent
    }

    /// All counters at one moment.
    public struct Snapshot: Sendable, Equatable {
        public var signIns: [SignInLabels: Int] = [:]
        public var legacy: [LegacyLabels: Int] = [:]
        public var passkeys: [PasskeyLabels: Int] = [:]
        public var singleSignOns: [SingleSignOnLabels: Int] = [:]
        public var signals: [SignalLabels: Int] = [:]

        public init() {}

        /// The same counts with other labels of tenants; counts that then have the same labels are added up.
        public func relabeled(_ label: (String) -> String) -> Snapshot {
            var snapshot = Snapshot()
            for (labels, count) in signIns {
                var labels = labels
                labels.tenant = label(labels.tenant)
                snapshot.signIns[labels, default: 0] += count
            }
            for (labels, count) in legacy {
                var labels = labels
                labels.tenant = label(labels.tenant)
                snapshot.legacy[labels, default: 0] += count
            }
            for (labels, count) in passkeys {
                var labels = labels
                labels.tenant = label(labels.tenant)
                snapshot.passkeys[labels, default: 0] += count
            }
            for (labels, count) in singleSignOns {
                var labels = labels
                labels.tenant = label(labels.tenant)
                snapshot.singleSignOns[labels, default: 0] += count
            }
            for (labels, count) in signals {
                var labels = labels
                labels.tenant = label(labels.tenant)
                snapshot.signals[labels, default: 0] += count
            }
            return snapshot
        }
    }

    private let counts = Mutex(Snapshot())

    public init() {}

    public func snapshot() -> Snapshot { counts.withLock { $0 } }

    /// - Parameter tenant: Its name in tenants.yaml.
    public func count(tenant: String, provider: SignIn.Provider, outcome: Outcome) {
        let labels = SignInLabels(tenant: tenant, provider: provider, outcome: outcome)
        counts.withLock { $0.signIns[labels, default: 0] += 1 }
    }

    public func count(tenant: String, passkey event: PasskeyEvent) {
        counts.withLock { $0.passkeys[PasskeyLabels(tenant: tenant, event: event), default: 0] += 1 }
    }

    func count(tenant: String, singleSignOn event: SingleSignOnEvent) {
        let labels = SingleSignOnLabels(tenant: tenant, event: event)
        counts.withLock { $0.singleSignOns[labels, default: 0] += 1 }
    }

    public func count(tenant: String, signal event: SignalEvent, _ result: SignalResult) {
        let labels = SignalLabels(tenant: tenant, event: event, result: result)
        counts.withLock { $0.signals[labels, default: 0] += 1 }
    }

    /// Counts a body without proof.
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
    /// The outcome of a sign-in that was stopped.
    init(_ stop: EarlySignInResponse) {
        switch stop.result {
        case .refused(let refusal) where refusal.code == .notAllowed: self = .notAllowed
        case .refused(let refusal): self = refusal.status >= 500 ? .unavailable : .refused
        case .response(let response): self = response.status >= 500 ? .unavailable : .refused
        case .forward: self = .refused
        }
    }
}
