import Authorization
import HTTPCore
import NIOCore
import Time
import Upstream

/// The client's side of an exchange, in the client's protocol: ``HTTP1ServerConnection`` or ``HTTP2ServerStream``. It
/// passes what it reads to its ``RequestExchange`` and writes what the exchange sends the client.
protocol ClientSide: AnyObject {
    var peer: Peer { get }
    var tokenMemory: TokenMemory { get }
    /// Whether the client currently takes more of a response.
    var isWritable: Bool { get }

    /// Bytes of a response's body known to have left the process.
    ///
    /// - Parameter written: Body bytes written so far.
    func bodyBytesTaken(of written: Int) -> Int

    /// - Parameter deadline: When to call ``RequestExchange/deadlineMet()``; ``WheelTimer/never`` for none.
    func setDeadline(_ deadline: MonotonicTime)

    /// Pauses or resumes reading of the request's body.
    func setReading(_ isReading: Bool)

    /// Processes what was received meanwhile, as far as possible.
    func resume()

    // MARK: A server's response

    /// An interim response (RFC 9110 section 15.2).
    func writeInterim(_ response: ReceivedResponse, _ style: ResponseStyle)

    /// A 100 from the gateway itself.
    func writeContinue()

    /// Writes the head of the final response.
    ///
    /// - Returns: Whether the end of the connection marks the end of the response.
    func writeHead(_ response: ReceivedResponse, _ framing: ResponseFraming, _ style: ResponseStyle) -> Bool

    func writeBody(_ bytes: ByteBuffer, _ range: Range<Int>)

    func writeEnd(trailers: [UInt8], _ style: ResponseStyle)

    /// Sends what has been written so far.
    func flush()

    /// The response is complete and written.
    func responseEnded(_ fate: ClientConnectionFate, at now: MonotonicTime)

    // MARK: A response of the gateway's own

    /// Writes the whole response.
    ///
    /// - Parameter isHead: Whether it answers HEAD, and so has no body.
    /// - Returns: Bytes of its body.
    func write(_ response: GatewayResponse, isHead: Bool, _ style: ResponseStyle) -> Int

    /// Bytes of a request's body that are read and dropped to keep the connection.
    var mostDroppedBytes: Int { get }

    // MARK: Tunnels

    /// The server has switched protocols; its response is sent on in the client's protocol.
    func writeSwitch(_ response: ReceivedResponse, _ style: ResponseStyle)

    /// Sends tunnel bytes to the client.
    func writeTunnel(_ bytes: ByteBuffer)

    /// The tunnel is over; bytes already sent go out first.
    func endTunnel()

    // MARK: Ends

    /// The connection takes no further requests.
    func retireConnection()

    /// Ends the response under way so that the client cannot mistake it for complete.
    func cut()

    /// Drops the exchange and everything not written yet.
    func closeNow()

    // MARK: Flow control

    /// See ``UpstreamRequestOwner/receiveWindow(outstanding:share:)``.
    func receiveWindow(outstanding: Int, share: inout Int) -> Int

    func giveBackReceiveWindow(_ share: inout Int)
}

/// How a response is written, beyond its own head.
struct ResponseStyle {
    /// Fields that the gateway adds to the final response.
    var fields: [HeaderField] = []
    /// Response header rules of the tenant; nil if it has none.
    var shape: AppliedHeaderRules?
    var version = HTTPVersion.http11
    /// Whether the client's connection stays open after the response.
    var stays = true
}
