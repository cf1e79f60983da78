import NIOCore
import Store
import Tenants
import Verification

/// What the loops ask of the rest of the process, and never wait for.
struct ControlPlane: Sendable {
    /// Asks for an issuer's keys.
    var keys: @Sendable (RemoteKeySource, KeySetReason) async -> KeySetAnswer
    /// Revokes what was signed out; done when it holds.
    var endSession: @Sendable ([Revocation]) async -> Void
}

/// What takes too long for the loop: it is done elsewhere, and the request decided on again.
extension Worker {
    private static let mostSlowSteps = 1024

    /// Has the step done. Gives whether there is room for it.
    func perform(_ step: SlowStep, for client: ClientExchange) -> Bool {
        guard slowStepsUnderWay < Self.mostSlowSteps else { return false }
        slowStepsUnderWay += 1
        switch step {
        case .signature(let check):
            let verifier = slowVerifiers[slowStepsUnderWay % slowVerifiers.count]
            settle(client, step) {
                await verifier.verify(check)
            } with: { worker, outcome in
                worker.serving.decision.settle(check, outcome, worker.serving.tenants[check.tenant])
            }
        case .keys(let question):
            let source = remoteKeySources[question.source]
            let ask = controlPlane.keys
            settle(client, step) {
                await ask(source, question.isMissing ? .missing : .unknownKey)
            } with: { worker, answer in
                worker.serving.decision.settle(question, answer, at: worker.unixTime(at: worker.now()))
            }
        }
        return true
    }

    private func settle<Outcome: Sendable>(
        _ client: ClientExchange,
        _ step: SlowStep,
        _ work: @escaping @Sendable () async -> Outcome,
        with take: @escaping @Sendable (Worker, Outcome) -> Void
    ) {
        let bound = NIOLoopBound((self, client), eventLoop: eventLoop)
        let request = client.record.id
        Task { [eventLoop] in
            let outcome = await work()
            eventLoop.execute {
                let (worker, client) = bound.value
                worker.slowStepsUnderWay -= 1
                take(worker, outcome)
                // Whoever asked may be gone, and the object serve another request.
                if client.record.id == request { client.decideAgain(after: step) }
            }
        }
    }

    // MARK: Keys

    /// Issuers whose keys come from `source` have these from now on. What was verified with others is forgotten.
    func use(_ keys: KeySet?, from source: KeySource) {
        var isUsed = false
        for tenant in serving.tenants where tenant.use(keys, from: source) { isUsed = true }
        guard isUsed else { return }
        var question: Int?
        if case .remote(let remote) = source { question = remoteKeySources.firstIndex(of: remote) }
        serving.decision.keysChanged(source: question)
    }
}

extension RemoteKeySource {
    /// Those of all tenants' issuers, each once.
    static func all(of tenants: [Tenant]) -> [RemoteKeySource] {
        var sources: [RemoteKeySource] = []
        for case .remote(let source) in tenants.flatMap(\.authenticate.keySources) where !sources.contains(source) {
            sources.append(source)
        }
        return sources
    }
}
