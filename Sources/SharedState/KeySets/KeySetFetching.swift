public import Tenants
public import Time

/// Fetches a provider's key set.
public protocol KeySetFetching: Sendable {
    /// - Parameters:
    ///   - record: The provider's last response to this process, for its entity tag and metadata; nil if there is none.
    /// - Returns: The response with its times: the same bytes with new times if the provider has nothing newer. Not
    ///   checked to be a key set.
    func fetch(
        _ source: RemoteKeySource,
        since record: KeySetRecord?,
        at now: UnixTime
    ) async throws(KeySetFetchProblem) -> KeySetRecord
}
