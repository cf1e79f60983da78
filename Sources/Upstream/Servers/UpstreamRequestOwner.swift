package import Authorization
package import HTTPCore
package import NIOCore
import Tenants
package import Time

/// The owner of an ``UpstreamRequest``: a client's exchange, a health check, or a refresh call.
package protocol UpstreamRequestOwner: AnyObject {
    /// The key by which connections to servers are shared fairly; nil for none.
    var clientName: SubjectName? { get }
    /// Whether it currently takes more of a response.
    var takesResponse: Bool { get }

    // MARK: The request

    /// A server has taken the request.
    func serverTaken()

    /// Another server is being chosen or waited for.
    ///
    /// - Parameter timeout: In nanoseconds.
    func triesAgain(within timeout: UInt64)

    /// A try has failed, and another one follows.
    func lostAttempt(at pool: ServerPool, _ reason: StaticString)

    /// There is no response, or no more of it. The upstream request is over.
    func failed(_ failure: UpstreamFailure)

    /// The server takes more of the request's body, or no more for now.
    func serverWritabilityChanged(_ isWritable: Bool)

    // MARK: The response

    /// An interim response (RFC 9110 section 15.2).
    func interim(_ response: ReceivedResponse)

    /// The head of the final response has arrived.
    ///
    /// - Returns: Whether to hold it. Then its server keeps it until ``UpstreamServer/resumeResponse()``, unless it can
    ///   hand it over (``takesHeldResponse``).
    func holds(_ response: ReceivedResponse) -> Bool

    /// Whether a held response is taken from the server once it is complete.
    var takesHeldResponse: Bool { get }

    /// - Parameter response: The whole response. The upstream request is over.
    func takeHeldResponse(_ response: ReceivedResponse)

    func responseStarted(_ response: ReceivedResponse, _ framing: ResponseFraming)

    func responseBody(_ bytes: ByteBuffer, _ range: Range<Int>)

    /// The response is complete.
    ///
    /// - Returns: Whether the request is complete as well, so that the server can take another one on the same
    ///   connection.
    func responseEnded(serverKeepsAlive: Bool, trailers: [UInt8], at now: MonotonicTime) -> Bool

    /// The bytes read from the server so far have been handed over.
    func flushResponse()

    /// The server is free again: continue with the client's next bytes.
    func resume()

    /// The server has accepted a WebSocket.
    func switched(_ response: ReceivedResponse)

    /// Bytes of a tunnel from the server.
    func tunnelReceived(_ bytes: ByteBuffer)

    // MARK: Flow control

    /// The current window of the server's stream, over HTTP/2.
    ///
    /// - Parameters:
    ///   - outstanding: Bytes that the server may still send.
    ///   - share: The stream's part of the shared total; updated with it.
    /// - Returns: `outstanding`, or a greater window to grant.
    func receiveWindow(outstanding: Int, share: inout Int) -> Int

    /// The server's stream is over.
    func giveBackReceiveWindow(_ share: inout Int)

    // MARK: Sharing of connections

    /// Whether it may be ended in favour of waiting requests: the server waits for it, not it for the server.
    var mayYieldPlace: Bool { get }
    /// Whether its response has begun.
    var isResponding: Bool { get }

    /// Bytes per second of what the server waits for.
    func rateForServer(at now: MonotonicTime) -> Double

    func yieldPlace()
}
