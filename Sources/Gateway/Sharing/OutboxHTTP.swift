import Events
import OutgoingHTTP
import SharedState

/// Requests to the webhook, and to clients.
struct OutboxHTTP: OutboxTransport {
    /// Bytes of a body, of which nothing is used.
    private static let mostBytes = 64 << 10

    let http: OutgoingHTTP

    func send(_ request: OutboxRequest) async throws(OutboxFailure) -> OutboxResponse {
        // The configuration has no other addresses, so this one cannot be reached.
        guard let url = ProviderURL(request.url) else { throw OutboxFailure(.unreachable) }
        let message = OutgoingRequest(
            method: "POST",
            url: url.text,
            origin: url.origin,
            fields: request.fields,
            body: request.body
        )
        do throws(OutgoingHTTPError) {
            let response = try await http.send(
                message,
                within: request.timeout,
                mostBytes: Self.mostBytes,
                readsBody: { _ in false }
            )
            return OutboxResponse(
                status: response.status,
                // A date says too little with clocks that differ: it counts as none.
                retryAfter: response.fields.first(name: "Retry-After").flatMap { Int($0) }
            )
        } catch {
            switch error.kind {
            case .timeLimit, .noFreeConnection: throw OutboxFailure(.timeout)
            case .notHTTP, .bodyTooLong: throw OutboxFailure(.garbled)
            case .connectTimeout, .unknownHost, .system, .client, .other: throw OutboxFailure(.unreachable)
            }
        }
    }
}
