import Authorization
import IdentityProvider
import NIOCore

/// A request for one of the gateway's endpoints, whose body is gathered before it is answered.
final class EndpointCall {
    /// Nanoseconds for an answer: longer than all that an endpoint may wait for together.
    static let patience: UInt64 = 60_000_000_000

    var question: EndpointRequest
    var endpoint: Endpoint { question.endpoint }
    /// As it was received, where it may go on to the backend; nil where the endpoint keeps what it checks.
    let received: ReceivedRequest?

    init(_ question: EndpointRequest, received: ReceivedRequest?) {
        self.question = question
        self.received = received
    }

    /// Gives whether there is room for the piece.
    func append(_ bytes: ByteBuffer) -> Bool {
        guard question.body.count + bytes.readableBytes <= EndpointHeadCheck.mostBytes else { return false }
        question.body += bytes.readableBytesView
        return true
    }
}
