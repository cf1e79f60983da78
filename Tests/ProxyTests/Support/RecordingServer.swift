import NIOCore
import Time
import Upstream

/// A server that records its calls.
final class RecordingServer: UpstreamServer {
    let pool: ServerPool
    var isWritable = true
    private(set) var request: UpstreamRequest?
    private var forwarded = ForwardedHead(gatewayOwn: "GET", "/", host: [], fields: [])
    private(set) var body = ByteBuffer()
    private(set) var isGivenBack = false
    private(set) var isAbandoned = false
    private(set) var isTunnelEnded = false
    private(set) var isRequestOut = false
    private(set) var isReading = true
    /// Called with what is sent, before it is recorded.
    var onWrite: () -> Void = {}
    /// Called on each flush.
    var onFlush: () -> Void = {}

    init(_ pool: ServerPool) { self.pool = pool }

    var head: ByteBuffer { forwarded.bytes }
    var canBegin: Bool { request == nil }
    let isUntried = true

    func takeBuffer() -> ByteBuffer { ByteBuffer() }

    func begin(_ request: UpstreamRequest, _ head: ForwardedHead) {
        self.request = request
        forwarded = head
    }

    func takeHead() -> ForwardedHead { forwarded }

    func send(_ bytes: ByteBuffer) {
        onWrite()
        body.writeImmutableBuffer(bytes)
    }

    func endBody(trailers: ByteBuffer) { onWrite() }
    func flush(bodyFollows: Bool) {
        onWrite()
        onFlush()
    }

    func requestSent(at now: MonotonicTime) { isRequestOut = true }
    func setReading(_ isReading: Bool) { self.isReading = isReading }
    func resumeResponse() {}
    func sendTunnel(_ bytes: ByteBuffer) { send(bytes) }
    func endTunnel() { isTunnelEnded = true }
    func abandon() { isAbandoned = true }
    func giveBack() { isGivenBack = true }
}
