import IdentityProvider
import Store
import Verification

/// The `jti` of the logout tokens and security events that a tenant has acted on, shared by all instances.
///
/// One is recorded after it was acted on: a token whose effect could not be stored can be sent again. Two instances that
/// get one token at once may both act on it, which changes nothing: a revocation is never weakened.
struct SignalReplays: Sendable {
    private static let record = Array(#"{"version":1}"#.utf8)

    let store: any Store
    let tenant: String

    func isUsed(_ tokenID: String, of issuer: String) async throws(StoreError) -> Bool {
        try await store.value(for: key(tokenID, issuer)) != nil
    }

    /// - Parameter seconds: For which the token would be accepted otherwise.
    /// - Returns: False if it was recorded before.
    func use(_ tokenID: String, of issuer: String, for seconds: Double) async throws(StoreError) -> Bool {
        try await store.replace(
            nil,
            with: Self.record,
            for: key(tokenID, issuer),
            lifetime: .seconds(seconds)
        )
    }

    private func key(_ tokenID: String, _ issuer: String) -> StoreKey {
        // The digest separates the two, whatever is in them.
        StoreKey(tenant: tenant, kind: "signal", hashing: SHA256.digest(Array(issuer.utf8)) + Array(tokenID.utf8))
    }
}
