import Issuing
import NIOCore

/// The gateway itself as the server of a request: it takes the whole body, has the request answered beside the loops,
/// and gives the answer the way a backend's comes. So all that holds for answers holds for these: both protocols, HEAD,
/// pipelining, draining, the log.
final class EndpointExchange: ServerExchange {
    /// Bytes of a body that an endpoint takes: tokens and forms are much shorter.
    static let mostBytes = 64 << 10
    /// Nanoseconds for an answer: longer than all that an endpoint may wait for together.
    private static let patience: UInt64 = 60_000_000_000

    private var question: EndpointRequest
    var endpoint: Endpoint { question.endpoint }
    private let answersHead: Bool
    private var isTooLarge = false
    private var wasAsked = false

    init(_ question: EndpointRequest, answersHead: Bool, worker: Worker) {
        self.question = question
        self.answersHead = answersHead
        super.init(leasedFrom: nil, worker: worker)
    }

    /// The body, which goes on to the backend as it came.
    var body: [UInt8] { question.body }

    override func send(_ bytes: ByteBuffer) {
        guard !isTooLarge, question.body.count + bytes.readableBytes <= Self.mostBytes else {
            isTooLarge = true
            question.body = []
            return
        }
        question.body += bytes.readableBytesView
    }

    override func flush(bodyFollows: Bool) {
        guard isTooLarge, let client else { return }
        client.bodyTooLarge()
    }

    override func requestSent(at now: UInt64) {
        guard let client, !wasAsked, !isTooLarge else { return }
        wasAsked = true
        // Judged is the whole request: with a body that takes its time, its sender would else choose when that was, and
        // what has expired or was used since would be good still.
        question.now = worker.unixTime(at: now)
        client.setDeadline(Self.patience)
        // Whoever calls goes on reading; to do so from here would be a step down the stack for each request in line.
        if !worker.ask(question, for: client, at: self) { client.turnAway(.overloaded) }
    }

    override func abandon() { client = nil }

    func answer(_ response: EndpointResponse) {
        guard let client else { return }
        self.client = nil
        var buffer = worker.allocator.buffer(capacity: 512 + response.body.count)
        buffer.writeString("HTTP/1.1 \(response.status) \(StatusText.of(response.status))\r\n")
        for field in response.fields { buffer.writeString("\(field.name): \(field.value)\r\n") }
        if response.status != 204 { buffer.writeString("Content-Length: \(response.body.count)\r\n") }
        buffer.writeString("\r\n")
        if !answersHead { buffer.writeBytes(response.body) }
        client.endpointAnswered(buffer)
    }
}

/// Reason phrases of answers that endpoints give (RFC 9110 section 15).
private enum StatusText {
    static func of(_ status: Int) -> String {
        switch status {
        case 303: "See Other"
        case 409: "Conflict"
        case 422: "Unprocessable Content"
        default: ReasonPhrase.of(status).description
        }
    }
}
