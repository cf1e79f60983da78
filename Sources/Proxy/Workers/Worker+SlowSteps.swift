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
    /// Revokes what was signed out; returns whether the store has it.
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

/// Slow steps: done elsewhere, after which the request is decided on again.
extension Worker {
    /// Signature checks of one tenant that may wait: the limit per tenant keeps one tenant's flood from others.
    private static let mostChecks = 512
    /// Requests that may wait for one key set.
    private static let mostKeySteps = 128

    /// Begins the step. Returns whether it is under way: a limit may be reached, and a refresh is left to the exchange,
    /// whose client gets the new tokens.
    func perform(_ step: SlowStep, for client: any SlowStepClient) -> Bool {
        switch step {
        case .signature(let check): perform(check, for: client)
        case .keys(let question): perform(question, for: client)
        case .introspection(let question): perform(question, for: client)
        case .proof(let proof): perform(proof, for: client)
        case .refresh: false
        }
    }

    /// Checks the token. Returns whether the limit allows it.
    func perform(_ check: SignatureStep, for client: any SlowStepClient) -> Bool {
        let tenant = serving.tenants[check.tenant].runtime
        guard tenant.verification.slowChecksUnderWay < Self.mostChecks else { return false }
        tenant.verification.slowChecksUnderWay += 1
        settle(client, inTurnOf: check.tenant) { verifier, isChecked in
            let outcome = await verifier.verify(check)
            isChecked()
            return outcome
        } with: { _, serving, _, outcome in
            let tenant = serving.tenants[check.tenant].runtime
            tenant.verification.slowChecksUnderWay -= 1
            serving.authorizer.authenticator.settle(check, outcome, tenant)
        }
        return true
    }

    /// Fetches the keys. Returns whether the limit allows it.
    func perform(_ question: KeyStep, for client: any SlowStepClient) -> Bool {
        let steps = serving.keySteps
        guard steps.underWay[question.source] < Self.mostKeySteps else { return false }
        steps.underWay[question.source] += 1
        let source = steps.sources[question.source]
        let ask = controlPlane.keys
        settle(client) {
            await ask(source, question.isMissing ? .missing : .unknownKey)
        } with: { worker, serving, _, answer in
            serving.keySteps.underWay[question.source] -= 1
            serving.authorizer.authenticator.settle(question, answer, at: worker.unixTime(at: worker.now()))
        }
        return true
    }

    /// Does the work off the loop, and has the request decided on again.
    ///
    /// - Parameter take: Called on the loop with the outcome, with what the loop served when the work began, and with
    ///   the decision context of the request; that is nil if the request is gone.
    func settle<Outcome: Sendable>(
        _ client: any SlowStepClient,
        _ work: @escaping @Sendable () async -> Outcome,
        with take: @escaping @Sendable (Worker, Serving, DecisionContext?, Outcome) -> Void
    ) {
        slowTask(client, work, with: take).begin()
    }

    /// The same, when it is the tenant's turn.
    ///
    /// - Parameters:
    ///   - work: Starts the check at the verifier, and reports when it is done.
    func settle<Outcome: Sendable>(
        _ client: any SlowStepClient,
        inTurnOf tenant: TenantIndex,
        _ work: @escaping @Sendable (SlowVerifier, _ isChecked: @Sendable () -> Void) async -> Outcome,
        with take: @escaping @Sendable (Worker, Serving, DecisionContext?, Outcome) -> Void
    ) {
        let verifier = slowVerifiers.take()
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let isChecked: @Sendable () -> Void = { [eventLoop] in
            eventLoop.execute { bound.value.slowVerifiers.turns.isDone()?.begin() }
        }
        let task = slowTask(client, { await work(verifier, isChecked) }, with: take)
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
                    // The client may be gone, and the object serve another request.
                    let isThere = client.id == id
                    take(worker, serving, isThere ? client.decisionContext : nil, outcome)
                    if isThere { client.stepEnded() }
                }
            }
        }
    }

    // MARK: Keys

    /// Sets the keys of issuers that use `source`. Tokens verified with other keys are forgotten.
    package func use(_ keys: KeySet?, from source: KeySource) {
        copies.keys[source] = keys
        var isUsed = false
        for tenant in serving.tenants where tenant.runtime.verification.use(keys, from: source) { isUsed = true }
        guard isUsed else { return }
        var question: Int?
        if case .remote(let remote) = source { question = serving.keySteps.sources.firstIndex(of: remote) }
        serving.authorizer.authenticator.keysChanged(source: question)
    }
}
