import Tenants
import Time

/// The webhook of `gateway.events` (Standard Webhooks 1.0.0).
struct WebhookReceiver: OutboxReceiver {
    private let url: String
    private let signature: WebhookSignature

    init(_ settings: EventSettings) {
        url = settings.url
        signature = WebhookSignature(settings.secrets)
    }

    func knows(_ receiver: OutboxReceiverID) -> Bool { receiver == .webhook }

    func request(for message: OutboxMessage, ofTenant tenant: String, at now: UnixTime) -> OutboxRequest? {
        let body = Array(message.body.utf8)
        let timestamp = Int(now.seconds.rounded(.down))
        return OutboxRequest(
            url: url,
            fields: [
                ("Content-Type", "application/json"),
                ("User-Agent", "Gatehouse"),
                ("webhook-id", message.id),
                ("webhook-timestamp", String(timestamp)),
                ("webhook-signature", signature.text(id: message.id, timestamp: timestamp, body: body)),
            ],
            body: body
        )
    }

    func result(of response: OutboxResponse) -> OutboxStream.Result {
        guard !(200..<300).contains(response.status) else { return .delivered }
        return .failed(OutboxFailure(.refused, status: response.status), retryAfter: response.retryAfter)
    }
}
