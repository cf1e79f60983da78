import Authorization
import Time

/// The requests that wait for a connection to one server.
struct WaitingRequests {
    /// The gateway's own, which come before all others.
    private var own: [UpstreamRequest] = []
    private var clients = FairQueue<UpstreamRequest, SubjectName?>()

    var isEmpty: Bool { clients.isEmpty && own.isEmpty }
    var hasOwn: Bool { !own.isEmpty }
    var hasClients: Bool { !clients.isEmpty }

    /// - Returns: False if it waits already.
    mutating func append(_ request: UpstreamRequest, at now: MonotonicTime) -> Bool {
        guard request.details.origin == .gateway else {
            return clients.append(request, of: request.owner?.clientName, at: now)
        }
        guard !own.contains(where: { $0 === request }) else { return false }
        own.append(request)
        return true
    }

    /// Takes out the request to serve next.
    ///
    /// - Parameter hasShare: See ``FairQueue/next(unless:)``.
    mutating func next(unless hasShare: (SubjectName?) -> Bool) -> UpstreamRequest? {
        own.isEmpty ? clients.next(unless: hasShare) : own.removeFirst()
    }

    /// - Returns: Whether it waited.
    mutating func remove(_ request: UpstreamRequest) -> Bool {
        if let index = own.firstIndex(where: { $0 === request }) {
            own.remove(at: index)
            return true
        }
        return clients.remove(request)
    }

    /// See ``FairQueue/evict(for:)``.
    mutating func evict(for address: SubjectName?) -> UpstreamRequest? { clients.evict(for: address) }

    /// How many requests of other addresses have waited since `moment` or longer.
    func count(butNot address: SubjectName?, since moment: MonotonicTime) -> Int {
        clients.count(butNot: address, since: moment)
    }
}
