import Authorization
import HTTPCore
import NIOCore
import Time
import Upstream

@testable import Proxy

/// A client that records what it is sent.
final class RecordingClient: ClientSide {
    let peer = Peer(Array("192.0.2.1".utf8), trustedProxies: [], tls: nil)
    let tokenMemory = TokenMemory()
    var isWritable = true
    /// Bytes of a response's body that have left.
    var taken = 0
    private(set) var deadline = WheelTimer.never
    private(set) var responses: [GatewayResponse] = []
    private(set) var statuses: [Int] = []
    private(set) var fates: [ClientConnectionFate] = []
    private(set) var isCut = false
    private(set) var isClosed = false
    private(set) var resumptions = 0
    /// The values passed to `setReading`, in order.
    private(set) var readings: [Bool] = []
    /// Called at each write, before it is recorded.
    var onWrite: () -> Void = {}

    func bodyBytesTaken(of written: Int) -> Int { taken }
    func setDeadline(_ deadline: MonotonicTime) { self.deadline = deadline }
    func setReading(_ isReading: Bool) { readings.append(isReading) }
    func resume() { resumptions += 1 }
    func writeInterim(_ response: ReceivedResponse, _ style: ResponseStyle) {}
    func writeContinue() {}

    func writeHead(_ response: ReceivedResponse, _ framing: ResponseFraming, _ style: ResponseStyle) -> Bool {
        onWrite()
        statuses.append(response.head.status)
        return false
    }

    func writeBody(_ bytes: ByteBuffer, _ range: Range<Int>) { onWrite() }
    func writeEnd(trailers: [UInt8], _ style: ResponseStyle) { onWrite() }
    func flush() {}
    func responseEnded(_ fate: ClientConnectionFate, at now: MonotonicTime) { fates.append(fate) }

    func write(_ response: GatewayResponse, isHead: Bool, _ style: ResponseStyle) -> Int {
        onWrite()
        responses.append(response)
        statuses.append(response.status)
        return response.body.count
    }

    var mostDroppedBytes: Int { 100 }
    func writeSwitch(_ response: ReceivedResponse, _ style: ResponseStyle) {}
    func writeTunnel(_ bytes: ByteBuffer) {}
    func endTunnel() {}
    func retireConnection() {}
    func cut() { isCut = true }
    func closeNow() { isClosed = true }
    func receiveWindow(outstanding: Int, share: inout Int) -> Int { outstanding }
    func giveBackReceiveWindow(_ share: inout Int) {}
}
