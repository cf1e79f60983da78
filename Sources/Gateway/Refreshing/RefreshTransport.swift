/// A request of the gateway's own for new tokens.
struct RefreshHTTPRequest: Sendable {
    var method: String
    /// A path with its query, or a full URL.
    var target: String
    /// The Host field of a call to the backend.
    var host: [UInt8]
    /// Without Host and Content-Length, which the transport adds.
    var fields: [(name: String, value: [UInt8])]
    var body: [UInt8]
}

struct RefreshHTTPResponse: Sendable {
    var status: Int
    var body: [UInt8]

    /// Bytes of a body that a transport reads; more is no answer with tokens in it.
    static let mostBytes = 256 << 10
}

/// Carries a refresh call to who answers it.
protocol RefreshTransport: Sendable {
    /// - Parameter tenant: Its place in the configuration.
    /// - Throws: ``RefreshTrouble/network``, ``RefreshTrouble/timeout``, ``RefreshTrouble/garbledAnswer`` or
    ///   ``RefreshTrouble/tooLargeAnswer``.
    func send(_ request: RefreshHTTPRequest, tenant: Int) async throws(RefreshTrouble) -> RefreshHTTPResponse
}
