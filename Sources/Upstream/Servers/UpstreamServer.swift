package import NIOCore
package import Time

/// A server's side of one request: ``BackendConnection`` for HTTP/1.1, ``BackendStream`` for HTTP/2. A ``ServerPool``
/// leases it to an ``UpstreamRequest``; the two reference each other until the response is over, and live on one event
/// loop.
package protocol UpstreamServer: AnyObject {
    var pool: ServerPool { get }
    /// Whether the server currently takes more of a body.
    var isWritable: Bool { get }

    /// Whether it has no request, and its connection still takes one.
    var canBegin: Bool { get }
    /// Whether its connection has had no request yet.
    var isUntried: Bool { get }

    /// An empty buffer to write the next head into, so that its memory is reused.
    func takeBuffer() -> ByteBuffer

    /// Takes the server for a request. Nothing is sent before ``flush(bodyFollows:)``.
    func begin(_ request: UpstreamRequest, _ head: ForwardedHead)

    /// Takes the head back, for another server.
    func takeHead() -> ForwardedHead

    /// Sends a piece of the body.
    func send(_ bytes: ByteBuffer)

    /// The body is complete.
    ///
    /// - Parameter trailers: Lines that may be passed on, each with its CRLF.
    func endBody(trailers: ByteBuffer)

    /// Sends what has been gathered.
    ///
    /// - Parameter bodyFollows: Whether the request cannot be tried again, so that sent bytes need not be kept.
    func flush(bodyFollows: Bool)

    /// The request is out: the server has its response timeout to begin a response.
    func requestSent(at now: MonotonicTime)

    /// Pauses or resumes reading of the response. While paused the server is not late.
    func setReading(_ isReading: Bool)

    /// Continues with a held response (``UpstreamRequestOwner/holds(_:)``).
    func resumeResponse()

    /// Sends tunnel bytes to the server.
    func sendTunnel(_ bytes: ByteBuffer)

    /// The tunnel is over; sent bytes go out first.
    func endTunnel()

    /// The response is no longer wanted.
    func abandon()

    /// Returns a lease that is not needed.
    func giveBack()
}
