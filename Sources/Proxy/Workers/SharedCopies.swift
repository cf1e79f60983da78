import SharedState
import Tenants
import Verification

/// An event loop's copies of shared state, for tenants that a reload adds.
struct SharedCopies {
    /// The latest keys of each source.
    var keys: [KeySource: KeySet] = [:]
    /// Revocations of tenants not served yet, by tenant name.
    var unclaimedRevocations: [String: RevocationSet] = [:]
    var revocationWatch = RevocationWatch()
}
