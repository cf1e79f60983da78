package import Adoption
package import Authorization
import Counting
package import IdentityProvider
import NIOCore
package import SharedState
package import Store
package import Tenants
import Time
import Upstream
package import Verification

/// Asynchronous calls of the loops into the rest of the process. A loop never blocks on them.
package struct ControlPlane: Sendable {
    /// Fetches an issuer's keys.
    package var keys: @Sendable (RemoteKeySource, KeySetReason) async -> KeySetResult
    /// Puts the revocations of a sign-out in force here and in the store; returns whether the store has them.
    package var endSession: @Sendable ([Revocation]) async -> Bool
    /// Introspects an opaque token.
    package var introspect: @Sendable (IntrospectionRequest) async -> IntrospectionOutcome
    /// Refreshes a session's tokens.
    package var refresh: @Sendable (RefreshRequest) async -> RefreshOutcome
    /// Stores a refresh token that the backend has given a client; returns whether the store has it.
    package var capture: @Sendable (CapturedTokens) async -> Bool
    /// Handles a request for one of a tenant's endpoints.
    package var answer: @Sendable (TenantIndex, EndpointRequest) async -> EndpointResult
    /// Records that a tenant's backend has admitted an account.
    package var register: @Sendable (TenantIndex, ProviderIdentity) async -> Void
    /// Records a signed proof; returns whether it was used before.
    package var useProof: @Sendable (ProofStep) async -> ProofFinding = { _ in .storeUnavailable }
    /// Exchanges the token of a former issuer for a session of the tenant's own.
    package var adopt: @Sendable (AdoptionRequest) async -> AdoptionOutcome = { _ in .nothing(retryAfter: nil) }
    /// Takes back a session whose tokens cannot be delivered.
    package var giveBack: @Sendable (AdoptedSession) async -> Void = { _ in }

    package init(
        keys: @escaping @Sendable (RemoteKeySource, KeySetReason) async -> KeySetResult,
        endSession: @escaping @Sendable ([Revocation]) async -> Bool,
        introspect: @escaping @Sendable (IntrospectionRequest) async -> IntrospectionOutcome,
        refresh: @escaping @Sendable (RefreshRequest) async -> RefreshOutcome,
        capture: @escaping @Sendable (CapturedTokens) async -> Bool,
        answer: @escaping @Sendable (TenantIndex, EndpointRequest) async -> EndpointResult,
        register: @escaping @Sendable (TenantIndex, ProviderIdentity) async -> Void,
        useProof: @escaping @Sendable (ProofStep) async -> ProofFinding = { _ in .storeUnavailable }
    ) {
        self.keys = keys
        self.endSession = endSession
        self.introspect = introspect
        self.refresh = refresh
        self.capture = capture
        self.answer = answer
        self.register = register
        self.useProof = useProof
    }
}

/// What waits for a slow step of a decision: a client's request, or a decision query.
protocol SlowStepClient: AnyObject {
    /// Unique for each request.
    var id: UInt64 { get }
    /// Where findings are noted.
    var decisionContext: DecisionContext { get }
    /// The step is done.
    func stepEnded()
}

/// A slow step that is yet to begin.
final class SlowTask {
    let begin: () -> Void

    init(_ begin: @escaping () -> Void) { self.begin = begin }
}

/// Slow steps run off the loop. After each, the request is decided on again.
extension Worker {
    /// Slow signature checks that one tenant may have under way: a flood of one tenant does not reach others.
    private static let mostChecks = 512
    /// Requests that may wait for one key set.
    private static let mostKeySteps = 128

    /// Begins the step.
    ///
    /// - Returns: Whether it has begun: not if a limit is reached, and never for a refresh, which the exchange begins
    ///   itself, as its client gets the new tokens.
    func perform(_ step: SlowStep, for client: any SlowStepClient) -> Bool {
        switch step {
        case .signature(let check): perform(check, for: client)
        case .keys(let keys): perform(keys, for: client)
        case .introspection(let introspection): perform(introspection, for: client)
        case .proof(let proof): perform(proof, for: client)
        case .refresh: false
        }
    }

    /// Begins to check the token. Returns false if the limit is reached.
    func perform(_ check: SignatureStep, for client: any SlowStepClient) -> Bool {
        let tenant = serving.tenants[check.tenant].runtime
        guard tenant.verification.slowChecksUnderWay < Self.mostChecks else { return false }
        tenant.verification.slowChecksUnderWay += 1
        settle(client, inTurnOf: check.tenant) { verifier, checkEnded in
            let outcome = await verifier.verify(check)
            checkEnded()
            return outcome
        } with: { _, serving, _, outcome in
            let tenant = serving.tenants[check.tenant].runtime
            tenant.verification.slowChecksUnderWay -= 1
            serving.authorizer.authenticator.settle(check, outcome, tenant)
        }
        return true
    }

    /// Begins to fetch the keys. Returns false if the limit is reached.
    func perform(_ step: KeyStep, for client: any SlowStepClient) -> Bool {
        let underWay = keySteps[step.source, default: 0]
        guard underWay < Self.mostKeySteps else { return false }
        keySteps[step.source] = underWay + 1
        let fetch = controlPlane.keys
        settle(client) {
            await fetch(step.source, step.isMissing ? .missing : .unknownKey)
        } with: { worker, serving, _, result in
            let underWay = worker.keySteps[step.source, default: 1]
            worker.keySteps[step.source] = underWay > 1 ? underWay - 1 : nil
            serving.authorizer.authenticator.settle(step, result, at: worker.unixTime(at: worker.now()))
        }
        return true
    }

    /// Does the work off the loop, and has the request decided on again.
    ///
    /// - Parameter take: Called on the loop with the worker, what it served when the work began, the request's decision
    ///   context (nil if the request is gone), and the outcome.
    func settle<Outcome: Sendable>(
        _ client: any SlowStepClient,
        _ work: @escaping @Sendable () async -> Outcome,
        with take: @escaping @Sendable (Worker, Serving, DecisionContext?, Outcome) -> Void
    ) {
        slowTask(client, work, with: take).begin()
    }

    /// As ``settle(_:_:with:)``, but begins only when it is the tenant's turn at the verifiers.
    ///
    /// - Parameter work: Has the verifier check, and then calls `checkEnded`, by which the next check begins.
    func settle<Outcome: Sendable>(
        _ client: any SlowStepClient,
        inTurnOf tenant: TenantIndex,
        _ work: @escaping @Sendable (SlowVerifier, _ checkEnded: @Sendable () -> Void) async -> Outcome,
        with take: @escaping @Sendable (Worker, Serving, DecisionContext?, Outcome) -> Void
    ) {
        let verifier = slowVerifiers.take()
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let checkEnded: @Sendable () -> Void = { [eventLoop] in
            eventLoop.execute { bound.value.slowVerifiers.turns.isDone()?.begin() }
        }
        let task = slowTask(client, { await work(verifier, checkEnded) }, with: take)
        slowVerifiers.turns.add(task, ofTenant: tenant)?.begin()
    }

    private func slowTask<Outcome: Sendable>(
        _ client: any SlowStepClient,
        _ work: @escaping @Sendable () async -> Outcome,
        with take: @escaping @Sendable (Worker, Serving, DecisionContext?, Outcome) -> Void
    ) -> SlowTask {
        let bound = NIOLoopBound((self, serving, client), eventLoop: eventLoop)
        let id = client.id
        return SlowTask { [eventLoop] in
            Task {
                let outcome = await work()
                eventLoop.execute {
                    let (worker, serving, client) = bound.value
                    // The request may be over, and the client's object may serve another.
                    let isThere = client.id == id
                    take(worker, serving, isThere ? client.decisionContext : nil, outcome)
                    if isThere { client.stepEnded() }
                }
            }
        }
    }

    // MARK: Keys

    /// Sets the keys of issuers that use `source`. Tokens that these tenants verified with other keys are forgotten;
    /// the same keys again, as a fetch mostly brings them, forget nothing.
    package func use(_ keys: KeySet?, from source: KeySource) {
        copies.keys[source] = keys
        let changed = serving.tenants(withKeysFrom: source).filter { $0.runtime.verification.use(keys, from: source) }
        guard !changed.isEmpty else { return }
        serving.authorizer.authenticator.keysChanged(source: source, of: Set(changed.map(\.index)))
    }
}
