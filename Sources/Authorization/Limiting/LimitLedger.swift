package import NIOCore

/// Requests of one key that were let through by a shared limit, and that the store is to be told of.
package struct UnsettledRequest: Sendable {
    package let rule: LimitRule
    package let key: LimitKey
    package let name: SubjectName
    package var count = 1

    /// The same key with another number of requests.
    package func counted(_ count: Int) -> UnsettledRequest {
        UnsettledRequest(rule: rule, key: key, name: name, count: count)
    }
}

/// The requests of one event loop that the store is to be told of. They are handed on together, a moment after the
/// first: no request waits for that.
package final class LimitLedger {
    /// After the first request.
    package static let delay = TimeAmount.milliseconds(5)

    /// How many of the latest keys are looked through for a request's own: those of callers who ask again and again.
    private static let latest = 8

    private var requests: [UnsettledRequest] = []
    private let eventLoop: any EventLoop
    private let settle: @Sendable ([UnsettledRequest]) -> Void

    package init(eventLoop: any EventLoop, settle: @escaping @Sendable ([UnsettledRequest]) -> Void) {
        self.eventLoop = eventLoop
        self.settle = settle
    }

    package func note(_ request: UnsettledRequest) {
        for place in requests.indices.suffix(Self.latest) where requests[place].key == request.key {
            requests[place].count += request.count
            return
        }
        requests.append(request)
        guard requests.count == 1 else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: Self.delay) { bound.value.handOn() }
    }

    private func handOn() {
        let handed = requests
        requests = []
        requests.reserveCapacity(handed.count)
        settle(handed)
    }
}
