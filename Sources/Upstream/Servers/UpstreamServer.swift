package import NIOCore
package import Time

/// A server's side of one request: ``BackendConnection`` for HTTP/1.1, ``BackendStream`` for HTTP/2. A ``ServerPool``
/// leases it to an ``UpstreamRequest``; the two know each other until the response is over, and live on one event loop.
package protocol UpstreamServer: AnyObject {
    var pool: ServerPool { get }
    /// Whether the server takes more of a body for now.
    var isWritable: Bool { get }

    /// Whether it has no request, and its connection still takes one.
    var canBegin: Bool { get }
    /// Whether its connection has had no request yet.
    var isUntried: Bool { get }

    /// An empty buffer that the next head may be written into, so that its memory is used again.
    func takeBuffer() -> ByteBuffer

    /// Takes the server for a request. Nothing is sent before ``flush(bodyFollows:)``.
    func begin(_ request: UpstreamRequest, _ head: ForwardedHead)

    /// The head, for a server that is to have it instead.
    func takeHead() -> ForwardedHead

    /// Sends a piece of the body.
    func send(_ bytes: ByteBuffer)

    /// The body is complete.
    ///
    /// - Parameter trailers: Lines that may be passed on, each with its CRLF.
    func endBody(trailers: ByteBuffer)

    /// Sends what has been gathered.
    ///
    /// - Parameter bodyFollows: Whether the request cannot be made again: what is sent need not be kept.
    func flush(bodyFollows: Bool)

    /// The request is out: the server has its response timeout to begin a response.
    func requestSent(at now: MonotonicTime)

    /// Pauses or resumes reading of the response. A server that is not read from is not late.
    func setReading(_ isReading: Bool)

    /// Goes on with a response that was held (``UpstreamRequestOwner/holds(_:)``).
    func resumeResponse()

    /// Bytes of a tunnel for the server.
    func sendTunnel(_ bytes: ByteBuffer)

    /// The tunnel is over; what was sent goes out first.
    func endTunnel()

    /// Nobody wants the response any more.
    func abandon()

    /// It was leased and is not needed after all.
    func giveBack()
}
