import HTTPCore
import NIOCore

/// The server's side of one request and its answer, whichever protocol the server speaks: ``BackendConnection`` for
/// HTTP/1.1, ``BackendStream`` for HTTP/2; ``EndpointExchange`` where the gateway itself is the server. It and the
/// ``ClientExchange`` know each other directly; both live on one event loop.
class ServerExchange {
    /// What has to be known of a request besides its bytes.
    struct Request {
        var framing: RequestFraming
        var isHead: Bool
        var handshake: WebSocketUpgrade?

        init(_ client: ClientExchange) {
            framing = client.requestFraming
            isHead = client.record.method == .head
            handshake = client.handshake
        }
    }

    /// Nil where the gateway itself is the server.
    final let leasedFrom: ServerPool?
    final let worker: Worker
    /// The head in the form of HTTP/1.1, and small body pieces, that are not written yet. Its own, not the loop's: it is
    /// kept until the answer begins, in case the request has to be made again.
    final var request: ByteBuffer
    /// Until the exchange is over, whichever way.
    final var client: ClientExchange?

    /// Bodies up to this size are copied behind the head, so that both leave in one write; larger ones go as they are.
    static let coalesceLimit = 12 << 10

    init(leasedFrom pool: ServerPool?, worker: Worker) {
        leasedFrom = pool
        self.worker = worker
        request = worker.allocator.buffer(capacity: 2048)
    }

    /// Whether the server takes more of a body for now.
    var isWritable: Bool { true }

    /// Takes the server for an exchange. The head is written to ``request`` next.
    func begin(_ client: ClientExchange, _ request: Request) {}

    /// Sends a piece of the body.
    func send(_ bytes: ByteBuffer) {}

    /// The body is complete.
    ///
    /// - Parameter trailers: Lines that may be passed on, each with its CRLF.
    func endBody(trailers: ByteBuffer) {}

    /// Sends what has been gathered. Bytes of a body are not kept once they are out.
    func flush(bodyFollows: Bool) {}

    /// The request is out: the server has its response timeout to begin an answer.
    func requestSent(at now: UInt64) {}

    /// Pauses or resumes reading of the answer. A server that we do not read from is not late.
    func setReading(_ isReading: Bool) {}

    /// Goes on with an answer that the client's side held back (``ClientExchange/holdsAnswer(_:)``).
    func resumeAnswer() {}

    /// Bytes of a tunnel for the server.
    func sendTunnel(_ bytes: ByteBuffer) {}

    /// The tunnel is over; what was sent goes out first.
    func endTunnel() {}

    /// The client is gone or had its last answer: this side is in the middle of something nobody wants.
    func abandon() {}

    /// It was leased and is not needed after all.
    func giveBack() {}
}
