import HTTPCore
import NIOCore
import Tenants

/// One request of the gateway's own that asks whether a server is well. It goes the way of all requests, so that it
/// finds what they would find: the same TLS, the same protocol, the same strictness.
final class Probe: ClientExchange {
    private let pool: ServerPool
    private let timeout: UInt64
    private var done: ((Bool) -> Void)?

    /// - Parameters:
    ///   - pool: Of the probes alone: those of the requests are not waited for.
    ///   - timeout: For everything, in nanoseconds.
    ///   - done: Told once whether a 2xx came in time.
    init(_ pool: ServerPool, worker: Worker, timeout: UInt64, done: @escaping (Bool) -> Void) {
        self.pool = pool
        self.timeout = timeout
        self.done = done
        let peer = Peer(nil, trustedProxies: [])
        super.init(worker: worker, peer: peer, tokenMemory: TokenMemory())
    }

    func begin(path: String) {
        startTimer()
        var head = worker.allocator.buffer(capacity: 256)
        head.writeString("GET \(path) HTTP/1.1\r\nHost: \(pool.server.address)\r\nUser-Agent: gatehouse\r\n\r\n")
        exchange = Exchange(clientWantsKeepAlive: false, expectsContinue: false)
        pendingHead = head
        phase = .waitingForServer
        switch pool.lease(for: self) {
        case .server(let server): sendPending(to: server)
        case .waiting: waitingAt = pool
        case .refused: finish(false)
        }
        setDeadline(timeout)
    }

    private func finish(_ isGood: Bool) {
        guard let done else { return }
        self.done = nil
        phase = .closed
        retireTimer()
        waitingAt?.forget(self)
        waitingAt = nil
        abandonServer()
        // The next one shall find out whether a connection can be opened.
        pool.forgetConnections()
        done(isGood)
    }

    override func answerBegan(_ head: ResponseHead, _ bytes: Span<UInt8>, _ framing: ResponseFraming) {
        finish((200..<300).contains(head.status))
    }

    override func refuse(_ refusal: Refusal, closing: Bool) { finish(false) }

    override func cut() { finish(false) }

    override func tooLate() { finish(false) }
}
