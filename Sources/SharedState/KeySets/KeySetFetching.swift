public import Tenants
public import Time

/// Asks a provider for its key set.
public protocol KeySetFetching: Sendable {
    /// - Parameters:
    ///   - record: The set as the provider itself gave it last, if it did; its entity tag and its metadata are used.
    /// - Returns: What came, with its times; the same bytes under new times if the provider has nothing newer. Whether
    ///   the bytes are a key set is not looked at.
    func fetch(
        _ source: RemoteKeySource,
        since record: KeySetRecord?,
        at now: UnixTime
    ) async throws(KeySetFetchProblem) -> KeySetRecord
}
