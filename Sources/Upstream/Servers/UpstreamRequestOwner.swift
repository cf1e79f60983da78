package import Authorization
package import HTTPCore
package import NIOCore
import Tenants
package import Time

/// Whoever has an ``UpstreamRequest`` made: a client's exchange, a health check, a call for new tokens.
package protocol UpstreamRequestOwner: AnyObject {
    /// By what places at servers are shared fairly; nil where it is nobody's.
    var clientName: SubjectName? { get }
    /// Whether it takes more of a response for now.
    var takesResponse: Bool { get }

    // MARK: The request

    /// A server has the request, which has waited for it.
    func serverTaken()

    /// Another server is looked for, or waited for.
    ///
    /// - Parameter timeout: Nanoseconds for it.
    func triesAgain(within timeout: UInt64)

    /// A try has failed that is followed by another.
    func lostAttempt(at pool: ServerPool, _ reason: StaticString)

    /// There is no response, or none any more. The upstream request is over.
    func failed(_ failure: UpstreamFailure)

    /// The server takes more of the request's body, or no more for now.
    func serverWritabilityChanged(_ isWritable: Bool)

    // MARK: The response

    /// An interim response (RFC 9110 section 15.2).
    func interim(_ response: ReceivedResponse)

    /// The head of the final response has come.
    ///
    /// - Returns: Whether it has to wait. Then its server keeps it until ``UpstreamServer/resumeResponse()``, unless it can
    ///   hand it over (``takesHeldResponse``).
    func holds(_ response: ReceivedResponse) -> Bool

    /// Whether a response that waits, and is there as a whole, is taken from the server.
    var takesHeldResponse: Bool { get }

    /// - Parameter response: From its head to its end. The upstream request is over.
    func takeHeldResponse(_ response: ReceivedResponse)

    func responseStarted(_ response: ReceivedResponse, _ framing: ResponseFraming)

    func responseBody(_ bytes: ByteBuffer, _ range: Range<Int>)

    /// The response is complete.
    ///
    /// - Returns: Whether the request is out as well, so that the server can take another one on the same connection.
    func responseEnded(serverKeepsAlive: Bool, trailers: [UInt8], at now: MonotonicTime) -> Bool

    /// What was read from the server for now has been handed over.
    func flushResponse()

    /// The server is free again: the client's next bytes are used.
    func resume()

    /// The server has granted a WebSocket.
    func switched(_ response: ReceivedResponse)

    /// Bytes of a tunnel from the server.
    func tunnelReceived(_ bytes: ByteBuffer)

    // MARK: Flow control

    /// The window that the server's stream gets now, where the server speaks HTTP/2.
    ///
    /// - Parameters:
    ///   - outstanding: Bytes that the server may still send.
    ///   - share: What the stream holds of what is shared with others; changed with it.
    /// - Returns: `outstanding`, or a greater one that the server is to be told of.
    func receiveWindow(outstanding: Int, share: inout Int) -> Int

    /// The server's stream is over.
    func giveBackReceiveWindow(_ share: inout Int)

    // MARK: Places at servers

    /// Whether it may be ended for others that wait: the server waits for it, not it for the server.
    var mayYieldPlace: Bool { get }
    /// Whether its response has begun.
    var isResponding: Bool { get }

    /// Bytes a second of what the server waits for.
    func rateForServer(at now: MonotonicTime) -> Double

    func yieldPlace()
}
