import IdentityProvider
import Logging
import Store
import Synchronization
import Tenants
import Time
import Verification

/// The tenants' own issuers: their keys and their sessions.
struct OwnIssuers: Sendable {
    /// The time between two looks at the keys in the store.
    static let upkeep = Duration.seconds(30)

    /// Where an issuer's keys are.
    private enum Keys: Sendable {
        case directory(String, DirectoryKeys)
        case stored(StoredKeys)

        var signing: any IssuerKeys {
            switch self {
            case .directory(_, let keys): keys
            case .stored(let keys): keys
            }
        }
    }

    /// By tenant; nil for one without an issuer.
    let books: [SessionService?]
    private let keys: [Keys?]
    private let tenants: [Tenant]
    private let logger: Logger

    /// - Parameters:
    ///   - previous: Those of the configuration before: issuers that are the same keep their keys and sessions.
    ///   - sealer: Seals keys in the store; without it an issuer has keys only from a directory.
    ///   - distribute: Takes an issuer's keys to everybody who verifies with them.
    init(
        _ tenants: [Tenant],
        previous: OwnIssuers? = nil,
        store: any Store,
        sealer: Sealer?,
        revocations: any RevocationChecks,
        files: any FileReading,
        logger: Logger,
        distribute: @escaping @Sendable (KeySource, KeySet) async -> Void
    ) {
        self.tenants = tenants
        self.logger = logger
        let kept = tenants.tenantIndices.map { previous?.isSame($0, as: tenants[$0]) == true }
        let keys = tenants.enumerated().map { place, tenant -> Keys? in
            guard let issuer = tenant.issuer else { return nil }
            if kept[place] { return previous?.keys[place] }
            if let path = issuer.keysDirectory {
                let directory = SigningKeyDirectory(path: path, algorithm: issuer.algorithm, files: files)
                return .directory(path, DirectoryKeys(algorithm: issuer.algorithm, directory: directory))
            }
            guard let sealer else { return nil }
            let source = KeySource.builtIn(tenant: tenant.name)
            return .stored(
                StoredKeys(
                    issuer,
                    tenant: tenant.name,
                    store: store,
                    sealer: sealer,
                    now: { Clock.unix() },
                    logger: logger
                ) { await distribute(source, $0) }
            )
        }
        self.keys = keys
        books = tenants.enumerated().map { place, tenant in
            guard let issuer = tenant.issuer, let keys = keys[place] else { return nil }
            if kept[place] { return previous?.books[place] }
            return SessionService(
                IssuerRules(issuer, tenant: tenant.name),
                store: store,
                keys: keys.signing,
                revocations: revocations,
                logger: logger
            )
        }
    }

    private func isSame(_ place: TenantIndex, as tenant: Tenant) -> Bool {
        place.value < tenants.count && tenants[place].issuer == tenant.issuer && keys[place] != nil
    }

    /// What the issuer at this place signs with; nil for a tenant without one.
    func signingKeys(ofTenant tenant: TenantIndex) -> (any IssuerKeys)? { keys[tenant]?.signing }

    /// The keys that are kept in the store; nil for those of a directory.
    func storedKeys(ofTenant tenant: TenantIndex) -> StoredKeys? {
        guard case .stored(let stored)? = keys[tenant] else { return nil }
        return stored
    }

    /// Reads the keys in the store, and makes those of new issuers.
    ///
    /// - Throws: ``StoreError/sealBroken(_:)`` if they are sealed with another key. A store that is away is waited for in
    ///   the background.
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

    /// Looks at the keys in the store again.
    func lookAgain() async {
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

    /// Those whose keys were not read from the store yet.
    func missing() async -> [String] {
        var missing: [String] = []
        for (tenant, keys) in zip(tenants, keys) {
            guard case .stored(let stored)? = keys, await !stored.isLoaded else { continue }
            missing.append("signing keys of \(tenant.name) are not loaded")
        }
        return missing
    }

    /// The files of a directory have changed, and every verifier knows what is in them now.
    func keysChanged(in directory: String) async {
        for case .directory(let path, let keys)? in keys where path == directory {
            do throws(SigningProblem) {
                try await keys.reload()
            } catch .noKey {
                // There were none before either, or they were taken away: what signed goes on.
            } catch {
                logger.error("tokens are signed with the keys of before", metadata: ["reason": "\(error)"])
            }
        }
    }

    /// Ends a session at its issuer, if it is one's. What cannot be done now does no harm: its tokens are revoked, and
    /// get no new ones.
    func end(_ sessionID: String?, ofTenant tenant: TenantIndex, at now: UnixTime) async {
        guard let sessionID, let book = books[tenant] else { return }
        try? await book.end(sessionID: sessionID, at: now)
    }
}
