import Authorization
import Tenants
import Time

@testable import Proxy

/// A client's connection that holds as much as a test says.
final class HoldingClient: FrontConnection {
    let address: SubjectName? = nil
    let countsForAddress = true
    let isIdle = false
    var indexInWorker = -1
    var backlog = ClientBacklog()
    private(set) var isClosed = false
    private let worker: Worker

    init(_ worker: Worker) {
        self.worker = worker
        _ = worker.opened(self)
    }

    func hold(_ bytes: Int, taken: UInt64, at now: MonotonicTime) {
        worker.backlogChanged(by: backlog.update(bytes: bytes, taken: taken, at: now))
    }

    func closeForBacklog() {
        isClosed = true
        hold(0, taken: 0, at: 0)
        worker.closed(self)
    }

    func drain() {}
    func endRevoked(unixTime: UnixTime, at now: MonotonicTime) -> Bool { false }
    func trust(_ proxies: [AddressRange]) {}
    func closeNow() { closeForBacklog() }
}
