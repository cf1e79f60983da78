import SharedState
import Tenants
import Verification

/// What an event loop was told of the state that all loops share.
struct SharedCopies {
    /// What was last said of each source of keys, for tenants that are yet to come.
    var keys: [KeySource: KeySet] = [:]
    /// Revocations of tenants that are yet to come, by name.
    var unclaimedRevocations: [String: RevocationSet] = [:]
    var revocationWatch = RevocationWatch()
}
