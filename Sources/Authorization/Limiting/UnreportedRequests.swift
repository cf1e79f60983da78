package import NIOCore

/// Requests of one key that a shared limit allowed, and that must be reported to the store.
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

/// The requests of one event loop that must be reported to the store. They are batch over together, a moment after the
/// first: no request waits for it.
package final class UnreportedRequests {
    /// After the first request.
    package static let delay = TimeAmount.milliseconds(5)

    /// How many of the latest keys are searched for a request's own: those of callers with many requests.
    private static let latest = 8

    private var requests: [UnsettledRequest] = []
    private let eventLoop: any EventLoop
    private let settle: @Sendable ([UnsettledRequest]) -> Void

    package init(eventLoop: any EventLoop, settle: @escaping @Sendable ([UnsettledRequest]) -> Void) {
        self.eventLoop = eventLoop
        self.settle = settle
    }

    package func note(_ request: UnsettledRequest) {
        for index in requests.indices.suffix(Self.latest) where requests[index].key == request.key {
            requests[index].count += request.count
            return
        }
        requests.append(request)
        guard requests.count == 1 else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: Self.delay) { bound.value.flush() }
    }

    private func flush() {
        let batch = requests
        requests = []
        requests.reserveCapacity(batch.count)
        settle(batch)
    }
}
