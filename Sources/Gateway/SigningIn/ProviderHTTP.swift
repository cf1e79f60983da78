import IdentityProvider
import OutgoingHTTP
import SharedState

/// Requests to Apple, Google and account hooks.
struct ProviderHTTP: ProviderRequests {
    /// Bytes of a body; no response that is asked for comes near it.
    private static let mostBytes = 256 << 10

    let http: OutgoingHTTP

    func send(_ request: ProviderRequest) async throws(ProviderRequestFailure) -> ProviderResponse {
        // The configuration has no other addresses, so this one cannot be reached.
        guard let url = ProviderURL(request.url) else { throw .unreachable }
        let message = OutgoingRequest(
            method: request.method,
            url: url.text,
            origin: url.origin,
            fields: request.fields.map { ($0.name, $0.value) },
            body: request.body
        )
        do throws(OutgoingHTTPError) {
            let response = try await http.send(message, within: request.timeout, mostBytes: Self.mostBytes)
            return ProviderResponse(
                status: response.status,
                body: response.body,
                // A date says too little with clocks that differ: it counts as none.
                retryAfterSeconds: response.fields.first(name: "Retry-After").flatMap { Int($0) }
            )
        } catch {
            switch error.kind {
            case .timeLimit, .noFreeConnection: throw .timeout
            case .notHTTP, .bodyTooLong: throw .garbled
            case .connectTimeout, .unknownHost, .system, .client, .other: throw .unreachable
            }
        }
    }
}
