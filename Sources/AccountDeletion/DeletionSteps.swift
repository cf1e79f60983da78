import IdentityProvider
import Time

/// Carries out the steps of one tenant's deletions. Each may be carried out again after it succeeded.
protocol DeletionSteps: Sendable {
    /// - Parameter now: For what is written.
    func carryOut(_ step: Deletion.Step, of deletion: Deletion, at now: UnixTime) async -> Deletion.Result

    /// Whether the subject has an account, maybe another one than the deleted.
    func hasAccount(_ subject: String) async throws(AccountProblem) -> Bool

    /// Everything is done: removes what kept the subject from signing in meanwhile.
    func finish(_ deletion: Deletion) async throws(AccountProblem)
}
