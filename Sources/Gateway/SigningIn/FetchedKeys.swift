import IdentityProvider
import SharedState
import Tenants
import Verification

/// Fetches the keys of others while one of their tokens is being verified.
struct FetchedKeys: Sendable {
    /// How often to wait for keys, at most five seconds each.
    private static let mostFetches = 2

    let fetch: @Sendable (RemoteKeySource, KeySetReason) async -> KeySetResult

    /// Verifies a token, and again with newer keys if those could make it good.
    ///
    /// - Parameters:
    ///   - source: Nil for keys that are not fetched.
    ///   - outage: The problem of a token with an unknown key while its keys cannot be fetched; nil: it is refused.
    func verifying(
        from source: RemoteKeySource?,
        duringOutage outage: ProviderTokenProblem? = nil,
        _ verify: () async -> Result<Principal, VerificationFailure>
    ) async -> Result<Principal, ProviderTokenProblem> {
        var fetchesLeft = source == nil ? 0 : Self.mostFetches
        while true {
            let failure: VerificationFailure
            switch await verify() {
            case .success(let principal): return .success(principal)
            case .failure(let refused): failure = refused
            }
            let isMissing = failure.reason == .keysNotLoaded
            // Only a failure that newer keys may fix names its issuer.
            guard isMissing || failure.issuerIndex != nil else { return .failure(.refused(failure)) }
            guard let source, fetchesLeft > 0 else { return .failure(isMissing ? .keysUnavailable : .refused(failure)) }
            fetchesLeft -= 1
            switch await fetch(source, isMissing ? .missing : .unknownKey) {
            case .decideAgain: continue
            // The first fetch may take longer than one wait; waiting is better than failing a sign-in.
            case .unavailable where isMissing: continue
            case .unavailable:
                if let outage { return .failure(outage) }
                fetchesLeft = 0
            case .nothingNew: fetchesLeft = 0
            }
        }
    }
}
