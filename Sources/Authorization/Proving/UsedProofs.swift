package import Store
package import Tenants
package import Time
import Verification

/// The proofs used at any instance, according to the store. While it is unavailable, and with
/// `on_store_failure: allow`, only the proofs that this process has seen are known.
package struct UsedProofs: Sendable {
    /// By tenant.
    private let memories: [ProofMemory]
    /// Nil for a tenant that refuses proofs that it cannot check in the store.
    private let own: [RecentProofs?]

    /// - Parameters:
    ///   - tenants: Indexed by position.
    ///   - previous: The proofs of the previous configuration, which are kept.
    package init(_ tenants: [Tenant], previous: UsedProofs? = nil, store: any Store) {
        memories = tenants.map { ProofMemory(store: store, tenant: $0.name) }
        own = tenants.enumerated().map { index, tenant in
            guard tenant.proof != nil, tenant.onStoreFailure == .allow else { return nil }
            let known = previous.flatMap { index < $0.own.count ? $0.own[index] : nil }
            return known ?? RecentProofs()
        }
    }

    /// Records a proof whose signature is valid.
    package func use(_ step: ProofStep, at now: UnixTime) async -> ProofFinding {
        let proof = step.proof
        // Before the store, which may become unavailable between one use and the next.
        let known = own[step.tenant]?.note(proof, until: step.usableUntil, at: now)
        if known == .known { return .replayed }
        do throws(StoreError) {
            let isFirst = try await memories[step.tenant].isFirstUse(
                keyThumbprint: proof.keyThumbprint,
                id: proof.id,
                until: step.usableUntil,
                at: now
            )
            return isFirst ? .good(keyThumbprint: proof.keyThumbprint) : .replayed
        } catch {
            return known == .new ? .good(keyThumbprint: proof.keyThumbprint) : .storeUnavailable
        }
    }
}
