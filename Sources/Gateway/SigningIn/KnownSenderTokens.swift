import Authorization
import IdentityProvider
import SharedState
import SignalReceiver
import Tenants
import Time
import Upstream
import Verification

/// Verifies logout tokens and security events, with keys that are fetched if missing.
struct KnownSenderTokens: SenderTokens {
    let verifiers: ProviderVerifiers
    let keys: FetchedKeys

    func verify(
        _ token: [UInt8],
        of sender: TrustedSender,
        issuer: String,
        as purpose: TokenPurpose,
        at now: UnixTime
    ) async -> Result<Principal, ProviderTokenProblem> {
        guard let policy = sender.policy(for: issuer) else { return .failure(.keysUnavailable) }
        var source: RemoteKeySource?
        if case .remote(let remote) = sender.source { source = remote }
        // The key may be a new one that cannot be asked for now: the sender is to try again.
        return await keys.verifying(from: source, duringOutage: .keysUnavailable) {
            await verifiers.verify(token, of: sender, policy, as: purpose, at: now)
        }
    }
}
