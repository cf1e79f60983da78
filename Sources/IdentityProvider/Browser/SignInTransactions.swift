import Store
import Time

/// A tenant's sign-ins under way in the store, each under a hash of its identifier and sealed with it: read access to
/// the store is not enough to continue one or to see its content.
struct SignInTransactions: Sendable {
    /// A sign-in as read, with the bytes to compare when it is changed.
    struct Stored: Sendable {
        let id: SignInID
        let transaction: SignInTransaction
        fileprivate let bytes: [UInt8]
    }

    /// Replaces a used sign-in, so that it is used once.
    private static let used: [UInt8] = [0]

    let store: any Store
    let tenant: String

    func add(_ transaction: SignInTransaction, as id: SignInID) async throws(StoreError) {
        try await store.set(
            try sealed(transaction, as: id),
            for: key(id),
            lifetime: .seconds(SignInTransaction.lifetime)
        )
    }

    /// - Returns: Nil for one that never existed, was used, or has expired.
    func read(_ id: SignInID, at now: UnixTime) async throws(StoreError) -> Stored? {
        guard let bytes = try await store.value(for: key(id)), bytes != Self.used else { return nil }
        guard let json = CredentialSeal.open(bytes, with: id.bytes, purpose: purpose),
            let transaction = SignInTransaction(json: json)
        else { throw .garbled("a sign-in under way of \(tenant)") }
        guard now < transaction.expiresAt else { return nil }
        return Stored(id: id, transaction: transaction, bytes: bytes)
    }

    /// - Returns: Whether it is unchanged since it was read.
    func replace(_ stored: Stored, with transaction: SignInTransaction) async throws(StoreError) -> Bool {
        try await store.replace(stored.bytes, with: try sealed(transaction, as: stored.id), for: key(stored.id))
    }

    /// Uses it up: of all attempts, on any instance, one succeeds.
    func consume(_ stored: Stored) async throws(StoreError) -> Bool {
        try await store.replace(stored.bytes, with: Self.used, for: key(stored.id))
    }

    private func sealed(_ transaction: SignInTransaction, as id: SignInID) throws(StoreError) -> [UInt8] {
        guard let sealed = CredentialSeal.seal(transaction.json, with: id.bytes, purpose: purpose) else {
            throw .unusable("a sign-in under way could not be encrypted")
        }
        return sealed
    }

    private var purpose: String { "sign-in of \(tenant)" }

    private func key(_ id: SignInID) -> StoreKey { StoreKey(tenant: tenant, kind: "sign-in", hashing: id.bytes) }
}
