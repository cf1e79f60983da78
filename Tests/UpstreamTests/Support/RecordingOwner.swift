import Authorization
import HTTPCore
import NIOCore
import TestSupport
import Time

@testable import Tenants
@testable import Upstream

/// An owner that records the callbacks of its request, and releases it as a client's exchange does.
final class RecordingOwner: UpstreamRequestOwner {
    let upstream: UpstreamRequest
    private let loop: LoopContext
    /// Of its client's connection.
    private(set) var windows = ReceiveWindows()
    /// The windows that servers were granted, in order.
    private(set) var granted: [Int] = []
    private(set) var statuses: [Int] = []
    private(set) var body = ByteBuffer()
    private(set) var failures: [UpstreamFailure] = []
    /// Responses that ended, and whether the server could have taken another request.
    private(set) var ends: [Bool] = []
    /// Called when a server was chosen, before the request is sent.
    var onServer: () -> Void = {}
    var isHolding = false
    var takesHeldResponse = false
    private(set) var held: ReceivedResponse?
    /// The responses it received, in order.
    private(set) var responses: [ReceivedResponse] = []

    init(_ loop: LoopContext) {
        self.loop = loop
        upstream = UpstreamRequest(loop: loop)
    }

    /// Begins a request without a body at one pool.
    func begin(at pool: ServerPool) -> UpstreamRequest.Outcome {
        let outcome = upstream.begin(.init(), only: pool, for: self) { (_: consuming ByteBuffer) in
            ForwardedHead(gatewayOwn: "GET", "/", host: Array("app.test".utf8), fields: [])
        }
        if case .sent = outcome { serverTaken() }
        return outcome
    }

    /// Begins a request. Returns whether it waits.
    func waits(at pool: ServerPool) -> Bool {
        if case .waiting = begin(at: pool) { true } else { false }
    }

    let clientName: SubjectName? = nil
    let takesResponse = true

    func serverTaken() {
        guard let server = upstream.server else { return }
        onServer()
        server.flush(bodyFollows: false)
        server.requestSent(at: loop.now())
    }

    func triesAgain(within timeout: UInt64) {}
    func lostAttempt(at pool: ServerPool, _ reason: StaticString) {}
    func failed(_ failure: UpstreamFailure) { failures.append(failure) }
    func serverWritabilityChanged(_ isWritable: Bool) {}
    func interim(_ response: ReceivedResponse) {}
    func holds(_ response: ReceivedResponse) -> Bool {
        responses.append(response)
        return isHolding
    }

    func takeHeldResponse(_ response: ReceivedResponse) {
        held = response
        upstream.end()
    }

    func responseStarted(_ response: ReceivedResponse, _ framing: ResponseFraming) {
        responses.append(response)
        statuses.append(response.head.status)
    }

    func responseBody(_ bytes: ByteBuffer, _ range: Range<Int>) {
        if let slice = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) {
            body.writeImmutableBuffer(slice)
        }
    }

    func responseEnded(serverKeepsAlive: Bool, trailers: [UInt8], at now: MonotonicTime) -> Bool {
        ends.append(serverKeepsAlive)
        upstream.end()
        return serverKeepsAlive
    }

    func flushResponse() {}
    func resume() {}
    func switched(_ response: ReceivedResponse) {}
    func tunnelReceived(_ bytes: ByteBuffer) {}

    func receiveWindow(outstanding: Int, share: inout Int) -> Int {
        let window = windows.window(outstanding: outstanding, share: &share, streams: 1)
        granted.append(window)
        return window
    }

    func giveBackReceiveWindow(_ share: inout Int) { windows.giveBack(&share) }

    let mayYieldPlace = false
    let isResponding = false
    func rateForServer(at now: MonotonicTime) -> Double { .infinity }
    func yieldPlace() {}
}
