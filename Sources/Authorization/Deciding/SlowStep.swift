package import NIOCore
package import Tenants
package import Time
package import Verification

/// What a decision cannot settle on the event loop in good time. It is done elsewhere, its outcome is noted by the
/// ``Authenticator`` or in the request's ``Circumstances``, and the decision is asked again.
///
/// Its cases are rare and large: held apart, they cost nothing where decisions are handed on without them.
package indirect enum SlowStep {
    case signature(SignatureStep)
    case keys(KeyStep)
    case introspection(IntrospectionStep)
    case proof(ProofStep)
    /// New tokens for a caller whose token has expired.
    case refresh(Caller)
}

extension AllowedSteps {
    package init(_ step: SlowStep) {
        self =
            switch step {
            case .signature: .signature
            case .keys: .keys
            case .refresh: .refresh
            case .introspection: .introspection
            case .proof: .proof
            }
    }

    /// What is left after a step.
    package func after(_ step: SlowStep) -> AllowedSteps { subtracting(AllowedSteps(step)) }
}

/// A costly signature check.
package struct SignatureStep: Sendable {
    package let tenant: TenantIndex
    package let token: [UInt8]
    /// Where the outcome will be remembered.
    package let key: TokenCache.Key
    package let now: UnixTime
    let keyGeneration: Int
}

/// Keys of an issuer that are not here.
package struct KeyStep: Sendable {
    /// Its place among the remote key sources.
    package let source: Int
    /// Whether there is no set at all; else a token names a key that is not in it.
    package let isMissing: Bool
}

/// How much of a loop's time goes into slow signature checks: about half of it at most, in bursts of a few. A flood of
/// tokens with costly signatures then makes those wait that sent them, and nobody else on the loop.
struct SlowCheckBudget {
    /// Seconds that may be spent at once.
    private static let burst = 0.001
    private static let share = 0.5

    private var left = burst
    private var lastLook = UnixTime.distantPast

    /// Whether a check that takes `cost` seconds may be made here and now; if so, it is paid for.
    ///
    /// - Parameter now: A clock that is set back gives nothing and takes nothing.
    mutating func allows(_ cost: Double, at now: UnixTime) -> Bool {
        left = min(Self.burst, left + max(0, now - lastLook) * Self.share)
        lastLook = now
        guard cost <= left else { return false }
        left -= cost
        return true
    }
}

extension SignatureAlgorithm {
    /// Seconds that a signature check takes, as measured on OpenSSL 3.0; nil where it is quick enough for any loop.
    var slowCheckCost: Double? {
        switch self {
        case .es256, .edDSA: 0.000_1
        case .es384: 0.000_6
        case .es512: 0.000_9
        case .hs256, .hs384, .hs512, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: nil
        }
    }
}

/// Verifies tokens away from the workers' loops, each on a loop of its own: on the threads of tasks a flood of costly
/// tokens would hold up all else that runs there, like following the revocations. Each has verifiers of its own too,
/// because OpenSSL contexts are not shared.
package actor SlowVerifier {
    package nonisolated let eventLoop: any EventLoop
    private var verifiers: [TokenVerifier]
    private var keySources: [[KeySource]]
    private var graces: [Double]
    private var knownKeys: [KeySource: KeySet] = [:]

    package nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    /// - Parameter tenants: By place.
    package init(_ tenants: [Tenant], eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        verifiers = tenants.map { TokenVerifier($0.authenticate.policy) }
        keySources = tenants.map(\.authenticate.keySources)
        graces = tenants.map(\.refreshGrace.secondsAsDouble)
    }

    /// Verifies by the rules of these from now on.
    ///
    /// - Parameter tenants: By place.
    package func adopt(_ tenants: [Tenant]) {
        verifiers = tenants.map { TokenVerifier($0.authenticate.policy) }
        keySources = tenants.map(\.authenticate.keySources)
        graces = tenants.map(\.refreshGrace.secondsAsDouble)
        for (verifier, sources) in zip(verifiers, keySources) {
            for (place, source) in sources.enumerated() where !source.isFile {
                if let keys = knownKeys[source] { verifier.use(keys, ofIssuer: place) }
            }
        }
    }

    /// Issuers whose keys come from `source` have these from now on.
    package func use(_ keys: KeySet?, from source: KeySource) {
        knownKeys[source] = keys
        for (verifier, sources) in zip(verifiers, keySources) {
            for place in sources.indices where sources[place] == source { verifier.use(keys, ofIssuer: place) }
        }
    }

    package func verify(_ step: SignatureStep) -> Result<VerifiedToken, VerificationFailure> {
        do throws(VerificationFailure) {
            let token = step.token.span
            let grace = graces[step.tenant]
            return .success(try verifiers[step.tenant].verify(token, at: step.now, refreshableFor: grace))
        } catch {
            return .failure(error)
        }
    }

    /// A token that a refresh has brought.
    package func verify(_ token: [UInt8], ofTenant tenant: TenantIndex, at now: UnixTime) -> Result<
        Principal, VerificationFailure
    > {
        do throws(VerificationFailure) {
            return .success(try verifiers[tenant].verify(token, at: now))
        } catch {
            return .failure(error)
        }
    }
}

extension KeySource {
    /// Whether its keys are read with the configuration: what was read before is no newer.
    package var isFile: Bool {
        if case .file = self { true } else { false }
    }
}
