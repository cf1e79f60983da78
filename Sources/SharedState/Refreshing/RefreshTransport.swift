public import Tenants

/// The HTTP request of a refresh call.
public struct RefreshHTTPRequest: Sendable {
    public var method: String
    /// A path with its query, or a full URL.
    public var target: String
    /// The Host field of a call to the backend.
    public var host: [UInt8]
    /// Without Host and Content-Length, which the transport adds.
    public var fields: [(name: String, value: [UInt8])]
    public var body: [UInt8]

    public init(
        method: String,
        target: String,
        host: [UInt8],
        fields: [(name: String, value: [UInt8])],
        body: [UInt8]
    ) {
        self.method = method
        self.target = target
        self.host = host
        self.fields = fields
        self.body = body
    }
}

public struct RefreshHTTPResponse: Sendable {
    public var status: Int
    public var body: [UInt8]

    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// The maximum length of a response's body in bytes.
    public static let mostBytes = 256 << 10
}

/// Sends a refresh call.
public protocol RefreshTransport: Sendable {
    /// - Throws: ``RefreshFailure/network``, ``RefreshFailure/timeout``, ``RefreshFailure/garbledAnswer`` or
    ///   ``RefreshFailure/tooLargeAnswer``.
    func send(_ request: RefreshHTTPRequest, tenant: TenantIndex) async throws(RefreshFailure) -> RefreshHTTPResponse
}
