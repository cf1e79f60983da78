public import IdentityProvider

/// Requests to a tenant's backend, made by a module with sockets.
public protocol BackendCalls: Sendable {
    /// - Parameters:
    ///   - target: A path with its query.
    ///   - fields: Without `Host` and `Content-Length`.
    /// - Returns: The status of the response.
    func send(
        _ method: String,
        _ target: String,
        _ fields: [EndpointResponse.Field]
    ) async throws(ProviderRequestFailure) -> Int
}
