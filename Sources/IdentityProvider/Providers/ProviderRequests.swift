/// Requests to identity providers and account hooks, made by a module with sockets.
public protocol ProviderRequests: Sendable {
    /// - Throws: ``ProviderRequestFailure``, but not for a response, whatever its status.
    func send(_ request: ProviderRequest) async throws(ProviderRequestFailure) -> ProviderResponse
}

/// A request of the gateway's own.
public struct ProviderRequest: Sendable, Equatable {
    public var method: String
    /// https, or http on loopback.
    public var url: String
    public var fields: [EndpointResponse.Field] = []
    public var body: [UInt8] = []
    /// For the whole request.
    public var timeout: Duration = .seconds(5)

    package init(
        method: String,
        url: String,
        fields: [EndpointResponse.Field] = [],
        body: [UInt8] = [],
        timeout: Duration = .seconds(5)
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeout = timeout
    }
}

public struct ProviderResponse: Sendable, Equatable {
    public var status: Int
    /// At most 256 KiB.
    public var body: [UInt8]
    /// Seconds to wait before the next request (`Retry-After`); nil if it says none.
    public var retryAfterSeconds: Int?

    public init(status: Int, body: [UInt8], retryAfterSeconds: Int? = nil) {
        self.status = status
        self.body = body
        self.retryAfterSeconds = retryAfterSeconds
    }
}

/// Why there is no response.
public enum ProviderRequestFailure: String, Error, Sendable, CaseIterable {
    case unreachable
    case timeout
    /// The response is not HTTP, or too long.
    case garbled
}
