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
    /// How often to wait for keys, at most five seconds each.
    private static let mostFetches = 2

    let verifiers: ProviderVerifiers
    let fetchKeys: @Sendable (RemoteKeySource, KeySetReason) async -> KeySetResult

    func verify(
        _ token: [UInt8],
        of sender: TrustedSender,
        issuer: String,
        as purpose: TokenPurpose,
        at now: UnixTime
    ) async -> Result<Principal, ProviderTokenProblem> {
        guard let policy = sender.policy(for: issuer) else { return .failure(.keysUnavailable) }
        var fetchesLeft = Self.mostFetches
        while true {
            let failure: VerificationFailure
            switch await verifiers.verify(token, of: sender, policy, as: purpose, at: now) {
            case .success(let principal): return .success(principal)
            case .failure(let refused): failure = refused
            }
            let isMissing = failure.reason == .keysNotLoaded
            // Only a failure that newer keys may fix names its issuer.
            guard isMissing || failure.issuerIndex != nil else { return .failure(.refused(failure)) }
            guard fetchesLeft > 0, case .remote(let source) = sender.source else {
                return .failure(isMissing ? .keysUnavailable : .refused(failure))
            }
            fetchesLeft -= 1
            switch await fetchKeys(source, isMissing ? .missing : .unknownKey) {
            case .decideAgain: continue
            case .unavailable where isMissing: continue
            // The key may be a new one that cannot be asked for now: the sender is to try again.
            case .unavailable: return .failure(.keysUnavailable)
            case .nothingNew: fetchesLeft = 0
            }
        }
    }
}
