import Authorization
import HTTPCore
import NIOCore
import Time
import Upstream

/// A client's side of an exchange in the client's protocol: ``HTTP1ServerConnection`` or ``HTTP2ServerStream``. It hands
/// what it reads to its ``RequestExchange`` and writes what that has for the client.
protocol ClientSide: AnyObject {
    var peer: Peer { get }
    var tokenMemory: TokenMemory { get }
    /// Whether the client takes more of a response for now.
    var isWritable: Bool { get }

    /// Bytes of a response's body that have left the process, as far as it can be told.
    ///
    /// - Parameter written: How many there are so far.
    func bodyBytesTaken(of written: Int) -> Int

    /// - Parameter deadline: By which the exchange is told (``RequestExchange/deadlineMet()``);
    ///   ``WheelTimer/never`` for none.
    func setDeadline(_ deadline: MonotonicTime)

    /// Pauses or resumes reading of the request's body.
    func setReading(_ isReading: Bool)

    /// Uses what was received meanwhile, as far as it goes.
    func resume()

    // MARK: A server's response

    /// An interim response (RFC 9110 section 15.2).
    func writeInterim(_ response: ReceivedResponse, _ style: ResponseStyle)

    /// A 100 of the gateway's own.
    func writeContinue()

    /// The head of the final response.
    ///
    /// - Returns: Whether the end of the connection is that of the response.
    func writeHead(_ response: ReceivedResponse, _ framing: ResponseFraming, _ style: ResponseStyle) -> Bool

    func writeBody(_ bytes: ByteBuffer, _ range: Range<Int>)

    func writeEnd(trailers: [UInt8], _ style: ResponseStyle)

    /// What has been written so far leaves.
    func flush()

    /// The response is complete and written.
    func responseEnded(_ fate: ClientConnectionFate, at now: MonotonicTime)

    // MARK: A response of the gateway's own

    /// Writes it as a whole.
    ///
    /// - Parameter isHead: Whether it answers HEAD, and so has no body.
    /// - Returns: Bytes of its body.
    func write(_ response: GatewayResponse, isHead: Bool, _ style: ResponseStyle) -> Int

    /// Bytes of a request's body that are read and dropped to keep the connection.
    var mostDroppedBytes: Int { get }

    // MARK: Tunnels

    /// The server has switched protocols; its response is passed on in the client's form.
    func writeSwitch(_ response: ReceivedResponse, _ style: ResponseStyle)

    /// Bytes of a tunnel for the client.
    func writeTunnel(_ bytes: ByteBuffer)

    /// The tunnel is over; what was sent goes out first.
    func endTunnel()

    // MARK: Ends

    /// The connection is not to be used for further requests.
    func retireConnection()

    /// Ends the response that is under way so that it cannot be taken for complete.
    func cut()

    /// Drops the exchange with whatever is not written yet.
    func closeNow()

    // MARK: Flow control

    /// See ``UpstreamRequestOwner/receiveWindow(outstanding:share:)``.
    func receiveWindow(outstanding: Int, share: inout Int) -> Int

    func giveBackReceiveWindow(_ share: inout Int)
}

/// How a response is written besides what it says itself.
struct ResponseStyle {
    /// Fields of ours for the final response.
    var fields: [HeaderField] = []
    /// Response header rules of the tenant; nil if it has none.
    var shape: AnswerShape?
    var version = HTTPVersion.http11
    /// Whether the client's connection stays open after the response.
    var stays = true
}
