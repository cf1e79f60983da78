public import Events
public import IdentityProvider
import Logging
import Store
public import Tenants
import Time
import TokenSigning
import Verification

/// What the deletions of one tenant need of the rest of the gateway.
public struct DeletionParts: Sendable {
    public var tenant: Tenant
    /// The tenants of the realm, this one included.
    public var realm: [Tenant]
    public var accounts: AccountRepository
    /// Of every tenant with an issuer in the realm.
    public var sessions: [SessionService]
    public var requests: any ProviderRequests
    /// Those that are told, of all tenants of the realm.
    public var backends: [DeletionBackend]
    /// Tells others of deleted accounts; nil: nobody is told.
    public var outbox: EventOutbox?

    public init(
        tenant: Tenant,
        realm: [Tenant],
        accounts: AccountRepository,
        sessions: [SessionService],
        requests: any ProviderRequests,
        backends: [DeletionBackend],
        outbox: EventOutbox? = nil
    ) {
        self.tenant = tenant
        self.realm = realm
        self.accounts = accounts
        self.sessions = sessions
        self.requests = requests
        self.backends = backends
        self.outbox = outbox
    }
}

/// The steps of a tenant's deletions.
struct TenantDeletionSteps: DeletionSteps {
    /// Seconds by which clocks may differ: sessions that another instance has just begun end too.
    private static let clockDifference = 30.0
    private let parts: DeletionParts
    /// Nil without `GATEHOUSE_KEY`: there are no tokens then.
    private let grants: ProviderGrantRecords?
    private let revocation: ProviderRevocation

    init(_ parts: DeletionParts, store: any Store, sealer: Sealer?) {
        self.parts = parts
        let (realm, name) = (parts.tenant.accounts.realm, parts.tenant.name)
        grants = sealer.map { ProviderGrantRecords(store, sealer: $0, realm: realm, tenant: name) }
        let tenants = Dictionary(parts.realm.map { ($0.name, $0) }) { first, _ in first }
        revocation = ProviderRevocation(tenants: tenants, requests: parts.requests)
    }

    func carryOut(_ step: Deletion.Step, of deletion: Deletion, at now: UnixTime) async -> Deletion.Result {
        do throws(DeletionFailure) {
            switch step {
            case .sessions: return try await endSessions(deletion, at: now)
            case .account: return try await deleteAccount(deletion, at: now)
            case .apple, .google: return try await revokeTokens(step, deletion, at: now)
            case .backend: return try await tellBackends(deletion, at: now)
            }
        } catch {
            return .failed(error)
        }
    }

    func hasAccount(_ subject: String) async throws(AccountProblem) -> Bool {
        try await parts.accounts.account(ofSubject: subject) != nil
    }

    func finish(_ deletion: Deletion) async throws(AccountProblem) {
        try await parts.accounts.finishDeletion(deletion.subject)
    }
}

extension TenantDeletionSteps {
    private func endSessions(_ deletion: Deletion, at now: UnixTime) async throws(DeletionFailure) -> Deletion.Result {
        for sessions in parts.sessions {
            try await mappingErrors({ _ in DeletionFailure(.storeUnavailable) }) { () async throws(IssuingError) in
                try await sessions.endAll(
                    ofSubject: deletion.subject,
                    before: now + Self.clockDifference,
                    at: now,
                    reason: "the account was deleted"
                )
            }
        }
        return parts.sessions.isEmpty ? .nothingToDo : .done
    }

    private func deleteAccount(_ deletion: Deletion, at now: UnixTime) async throws(DeletionFailure) -> Deletion.Result
    {
        let wasThere = try await mappingErrors({ _ in DeletionFailure(.storeUnavailable) }) {
            () async throws(AccountProblem) in try await parts.accounts.delete(deletion.subject, at: now)
        }
        // After a crash it may be gone already; it is one event all the same.
        let event = Event(.deleted, tenant: deletion.tenant, subject: deletion.subject, at: now, once: deletion.id)
        try await mappingErrors({ _ in DeletionFailure(.storeUnavailable) }) { () async throws(StoreError) in
            try await parts.outbox?.write(event)
        }
        return wasThere ? .done : .nothingToDo
    }

    /// Each token leaves the store once it is taken back, so that no attempt repeats those before it.
    private func revokeTokens(
        _ step: Deletion.Step,
        _ deletion: Deletion,
        at now: UnixTime
    ) async throws(DeletionFailure) -> Deletion.Result {
        guard let grants else { return .nothingToDo }
        let kept = try await mappingErrors(Self.failure) { () async throws(StoreError) in
            try await grants.grants(ofSubject: deletion.subject)
        }
        let ours = kept.filter { $0.step == step }
        for grant in ours {
            try await revocation.revoke(grant, at: now)
            try await mappingErrors(Self.failure) { () async throws(StoreError) in
                try await grants.change(deletion.subject) { $0.remove(grant) }
            }
        }
        return ours.isEmpty && deletion.attempts(at: step)?.count == 0 ? .nothingToDo : .done
    }

    /// All are told, though one of them fails; then all are told again.
    private func tellBackends(_ deletion: Deletion, at now: UnixTime) async throws(DeletionFailure) -> Deletion.Result {
        var failure: DeletionFailure?
        for backend in parts.backends {
            do throws(DeletionFailure) {
                try await backend.tell(deletion, at: now)
            } catch {
                failure = failure ?? error.at(backend.tenant)
            }
        }
        if let failure { throw failure }
        return parts.backends.isEmpty ? .nothingToDo : .done
    }

    private static func failure(_ error: StoreError) -> DeletionFailure {
        switch error {
        case .sealBroken: DeletionFailure(.keyProblem)
        case .unavailable, .unusable, .garbled: DeletionFailure(.storeUnavailable)
        }
    }
}
