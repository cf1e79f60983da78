public import OutgoingHTTP
public import Tenants

/// Carries refresh calls to providers at full URLs.
public struct ProviderTransport: RefreshTransport {
    private let http: OutgoingHTTP
    private let timeout: Duration

    /// - Parameter timeout: For a call as a whole.
    public init(_ http: OutgoingHTTP, timeout: Duration = .seconds(10)) {
        self.http = http
        self.timeout = timeout
    }

    /// - Parameter request: Its target is https, or http on loopback; its `host` is not sent, the URL's is.
    public func send(_ request: RefreshHTTPRequest, tenant: TenantIndex) async throws(RefreshFailure)
        -> RefreshHTTPResponse
    {
        // The configuration has no other addresses, so this one cannot be reached.
        guard let url = ProviderURL(request.target) else { throw .network }
        let message = OutgoingRequest(
            method: request.method,
            url: url.text,
            origin: url.origin,
            fields: request.fields.map { ($0.name, String(decoding: $0.value, as: UTF8.self)) },
            body: request.body
        )
        do throws(OutgoingHTTPError) {
            let response = try await http.send(message, within: timeout, mostBytes: RefreshHTTPResponse.mostBytes)
            return RefreshHTTPResponse(status: response.status, body: response.body)
        } catch {
            // The error itself goes no further: its text may quote what was sent.
            switch error.kind {
            case .timeLimit, .noFreeConnection: throw .timeout
            case .notHTTP: throw .garbledAnswer
            case .bodyTooLong: throw .tooLargeAnswer
            case .connectTimeout, .unknownHost, .system, .client, .other: throw .network
            }
        }
    }
}
