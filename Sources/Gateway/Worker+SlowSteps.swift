import Issuing
import NIOCore
import Store
import Tenants
import Verification

/// What the loops ask of the rest of the process, and never wait for.
struct ControlPlane: Sendable {
    /// Asks for an issuer's keys.
    var keys: @Sendable (RemoteKeySource, KeySetReason) async -> KeySetAnswer
    /// Revokes what was signed out; gives whether the store has it.
    var endSession: @Sendable ([Revocation]) async -> Bool
    /// Gets new tokens for a session.
    var refresh: @Sendable (RefreshRequest) async -> RefreshOutcome
    /// Keeps a refresh token that the backend has given a client; gives whether the store has it.
    var capture: @Sendable (CapturedTokens) async -> Bool
    /// Answers a request for one of a tenant's endpoints; the tenant by its place in the configuration.
    var answer: @Sendable (Int, EndpointRequest) async -> EndpointAnswer
    /// Puts on record that a tenant's backend has let somebody in.
    var register: @Sendable (Int, ProviderIdentity) async -> Void
}

/// What takes too long for the loop: it is done elsewhere, and the request decided on again.
extension Worker {
    /// Signature checks of one tenant that may wait: one tenant's flood leaves the others their places.
    private static let mostChecks = 512
    /// Requests that may wait for one set of keys.
    private static let mostKeySteps = 128

    /// Has the token checked. Gives whether there is room for it.
    func perform(_ check: SignatureStep, for client: ClientExchange) -> Bool {
        let tenant = serving.tenants[check.tenant]
        guard tenant.slowChecksUnderWay < Self.mostChecks else { return false }
        tenant.slowChecksUnderWay += 1
        nextSlowVerifier = (nextSlowVerifier + 1) % slowVerifiers.count
        let verifier = slowVerifiers[nextSlowVerifier]
        settle(client) {
            await verifier.verify(check)
        } with: { worker, outcome in
            let tenant = worker.serving.tenants[check.tenant]
            tenant.slowChecksUnderWay -= 1
            worker.serving.decision.settle(check, outcome, tenant)
        }
        return true
    }

    /// Asks for the keys. Gives whether there is room for it.
    func perform(_ question: KeyStep, for client: ClientExchange) -> Bool {
        guard keyStepsUnderWay[question.source] < Self.mostKeySteps else { return false }
        keyStepsUnderWay[question.source] += 1
        let source = remoteKeySources[question.source]
        let ask = controlPlane.keys
        settle(client) {
            await ask(source, question.isMissing ? .missing : .unknownKey)
        } with: { worker, answer in
            worker.keyStepsUnderWay[question.source] -= 1
            worker.serving.decision.settle(question, answer, at: worker.unixTime(at: worker.now()))
        }
        return true
    }

    private func settle<Outcome: Sendable>(
        _ client: ClientExchange,
        _ work: @escaping @Sendable () async -> Outcome,
        with take: @escaping @Sendable (Worker, Outcome) -> Void
    ) {
        let bound = NIOLoopBound((self, client), eventLoop: eventLoop)
        let serial = client.serial
        Task { [eventLoop] in
            let outcome = await work()
            eventLoop.execute {
                let (worker, client) = bound.value
                take(worker, outcome)
                // Whoever asked may be gone, and the object serve another request.
                if client.serial == serial { client.decideAgain() }
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
