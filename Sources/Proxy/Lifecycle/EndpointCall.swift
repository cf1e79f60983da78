import Authorization
import IdentityProvider
import NIOCore

/// A request for one of the gateway's endpoints, whose body is gathered before the endpoint runs.
final class EndpointCall {
    /// Nanoseconds for a response: longer than all waits of an endpoint together.
    static let patience: UInt64 = 60_000_000_000

    var request: EndpointRequest
    var endpoint: Endpoint { request.endpoint }
    /// As received, if it may go on to the backend; nil if the endpoint keeps what it checks.
    let received: ReceivedRequest?

    init(_ request: EndpointRequest, received: ReceivedRequest?) {
        self.request = request
        self.received = received
    }

    /// Returns whether the piece fits.
    func append(_ bytes: ByteBuffer) -> Bool {
        guard request.body.count + bytes.readableBytes <= EndpointHeadCheck.maximumBytes else { return false }
        request.body += bytes.readableBytesView
        return true
    }
}
