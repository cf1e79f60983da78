import Events
import IdentityProvider
import Logging
import SharedState
import Store
import Synchronization
import Tenants
import Time
import TokenSigning
import Verification

/// The tenants' own issuers: their keys and their sessions.
struct OwnIssuers: Sendable {
    /// The time between two checks of the keys in the store.
    static let upkeep = Duration.seconds(30)

    /// The keys of an issuer.
    private enum Keys: Sendable {
        /// In files, or in tenants.yaml, which has no source.
        case configured(KeyFileSource?, ConfiguredKeys)
        case stored(StoredKeys)

        var signing: any IssuerKeys {
            switch self {
            case .configured(_, let keys): keys
            case .stored(let keys): keys
            }
        }
    }

    /// By tenant; nil for one without an issuer.
    let services: [SessionService?]
    let reuses: RefreshReuseCounts
    private let keys: [Keys?]
    let tenants: [Tenant]
    private let logger: Logger

    /// - Parameters:
    ///   - previous: Those of the previous configuration: unchanged issuers keep their keys and sessions.
    ///   - sealer: Seals keys in the store; without it an issuer has only keys that it is given.
    ///   - outbox: Tells others of sessions.
    ///   - distribute: Passes an issuer's keys to all verifiers.
    init(
        _ tenants: [Tenant],
        previous: OwnIssuers? = nil,
        store: any Store,
        sealer: Sealer?,
        revocations: any RevocationChecks,
        outbox: EventOutbox? = nil,
        files: any FileReading,
        logger: Logger,
        distribute: @escaping @Sendable (KeySource, KeySet) async -> Void
    ) {
        self.tenants = tenants
        self.logger = logger
        let reuses = previous?.reuses ?? RefreshReuseCounts()
        self.reuses = reuses
        let kept = tenants.tenantIndices.map { previous?.isSame($0, as: tenants[$0]) == true }
        let keys = tenants.tenantIndices.map { index -> Keys? in
            guard let issuer = tenants[index].issuer else { return nil }
            let name = tenants[index].name
            if kept[index] { return previous?.keys[index] }
            if let source = Self.keySource(of: issuer, files) {
                return .configured(issuer.keyFiles, ConfiguredKeys(algorithm: issuer.algorithm, source: source))
            }
            guard let sealer else { return nil }
            let source = KeySource.builtIn(tenant: name)
            return .stored(
                StoredKeys(
                    issuer,
                    tenant: name,
                    store: store,
                    sealer: sealer,
                    now: { Clock.unix() },
                    logger: logger
                ) { await distribute(source, $0) }
            )
        }
        self.keys = keys
        services = tenants.tenantIndices.map { index in
            guard let issuer = tenants[index].issuer, let keys = keys[index] else { return nil }
            if kept[index] { return previous?.services[index] }
            return SessionService(
                IssuerRules(issuer, tenant: tenants[index].name),
                store: store,
                keys: keys.signing,
                revocations: revocations,
                outbox: outbox,
                reuses: reuses,
                logger: logger
            )
        }
    }

    /// The keys that the gateway does not make; nil for those in the store.
    private static func keySource(of issuer: BuiltInIssuer, _ files: any FileReading) -> (any SigningKeySource)? {
        if let path = issuer.keysDirectory {
            return SigningKeyDirectory(path: path, algorithm: issuer.algorithm, files: files)
        }
        return issuer.givenKeys == nil ? nil : GivenSigningKeys(issuer, files: files)
    }

    private func isSame(_ index: TenantIndex, as tenant: Tenant) -> Bool {
        index.value < tenants.count && tenants[index].issuer == tenant.issuer && keys[index] != nil
    }

    /// The signing keys of a tenant's issuer; nil for a tenant without one.
    func signingKeys(ofTenant tenant: TenantIndex) -> (any IssuerKeys)? { keys[tenant]?.signing }

    /// The keys in the store; nil for an issuer whose keys are elsewhere.
    func storedKeys(ofTenant tenant: TenantIndex) -> StoredKeys? {
        guard case .stored(let stored)? = keys[tenant] else { return nil }
        return stored
    }

    /// Reads the keys in the store, and creates those of new issuers.
    ///
    /// - Throws: ``StoreError/sealBroken(_:)`` if they are sealed with another key. If the store is unavailable, it is
    ///   retried in the background.
    func load() async throws(StoreError) {
        let problems = await withTaskGroup(of: SigningProblem?.self) { group in
            for case .stored(let stored)? in keys {
                group.addTask {
                    do throws(SigningProblem) {
                        try await stored.load(at: Clock.unix())
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { problems, problem in problems += problem.map { [$0] } ?? [] }
        }
        for case .store(.sealBroken(let problem)) in problems { throw .sealBroken(problem) }
    }

    /// Checks the keys in the store again.
    func reloadKeys() async {
        await withDiscardingTaskGroup { group in
            for case .stored(let stored)? in keys { group.addTask { await stored.keepUp(at: Clock.unix()) } }
        }
    }

    /// An instance has changed a tenant's keys in the store.
    func keysAnnounced(ofTenant name: String) async {
        for (tenant, keys) in zip(tenants, keys) where tenant.name == name {
            if case .stored(let stored)? = keys { await stored.keepUp(at: Clock.unix()) }
        }
    }

    /// The issuers whose keys were not read from the store yet.
    func missing() async -> [String] {
        var missing: [String] = []
        for (tenant, keys) in zip(tenants, keys) {
            guard case .stored(let stored)? = keys, await !stored.isLoaded else { continue }
            missing.append("signing keys of \(tenant.name) are not loaded")
        }
        return missing
    }

    /// Files with keys have changed, and every verifier knows the new keys.
    func keysChanged(in changed: KeyFileSource) async {
        for case .configured(let source?, let keys)? in keys where source == changed {
            do throws(SigningProblem) {
                try await keys.reload()
            } catch .noKey {
                // There were none before either, or they were removed: the present signing key stays in use.
            } catch {
                logger.error("tokens are signed with the previous keys", metadata: ["reason": "\(error)"])
            }
        }
    }

    /// Ends a session at its issuer, if it is one of ours. A failure does no harm: its tokens are revoked, and get no
    /// new ones; and others are told of it once the revocation is stored.
    ///
    /// - Parameters:
    ///   - reason: Nil: somebody has signed out.
    ///   - isTold: Whether others were told already.
    func end(
        _ sessionID: String?,
        ofTenant tenant: TenantIndex,
        at now: UnixTime,
        reason: String? = nil,
        isTold: Bool = false
    ) async {
        guard let sessionID, let sessions = services[tenant] else { return }
        try? await sessions.end(
            sessionID: sessionID,
            at: now,
            reason: reason ?? SignOut.reason,
            as: reason == nil ? .signedOut : .revoked,
            isTold: isTold
        )
    }
}

extension OwnIssuers {
    /// - Returns: Nil for a tenant without an issuer.
    func sessions(ofTenantNamed name: String) -> SessionService? {
        tenants.tenantIndices.first { tenants[$0].name == name }.flatMap { services[$0] }
    }

    /// Ends the sessions at the issuer of the browsers that revoked sessions were begun in.
    ///
    /// - Throws: If it has to be repeated.
    func endBrowsers(ofRevoked revocations: [Revocation]) async throws(StoreError) {
        for revocation in revocations {
            guard case .session(let id) = revocation.target else { continue }
            try await sessions(ofTenantNamed: revocation.tenant)?.endBrowser(ofSession: id)
        }
    }
}
