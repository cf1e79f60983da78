import Authorization
import Tenants
import Time

/// One client address holds at most half of a server's connections while requests of other addresses wait.
extension ServerPool {
    /// Nanoseconds that others wait before connections are taken back.
    static let reliefInterval: UInt64 = 1_000_000_000

    /// - Parameter places: The total number of connections.
    package static func share(of places: Int) -> Int { max(1, places / 2) }

    /// Ends exchanges of an address that holds more than its share, one for each request of another address that has
    /// waited too long. Only exchanges whose server waits for the client are ended: for the rest of the request, or
    /// because the client does not read. The others need their connection for the server's own work. Those whose
    /// response has not begun go first, the slowest of them before all.
    func takeBackPlaces(at now: MonotonicTime) {
        guard now.nanoseconds >= Self.reliefInterval else { return }
        var held: [SubjectName?: [any UpstreamRequestOwner]] = [:]
        var total = 0
        forEachOwner { owner in
            held[owner.clientName, default: []].append(owner)
            total += 1
        }
        guard let most = held.max(by: { $0.value.count < $1.value.count }) else { return }
        let excess = most.value.count - total / 2
        let late = othersWaiting(butNot: most.key, since: now - Self.reliefInterval)
        guard excess > 0, late > 0 else { return }
        let ending = most.value.filter { $0.mayYieldPlace }
            .map { (owner: $0, isResponding: $0.isResponding, rate: $0.rateForServer(at: now)) }
            .sorted { $0.isResponding == $1.isResponding ? $0.rate < $1.rate : !$0.isResponding }
            .prefix(min(excess, late))
        for entry in ending { entry.owner.yieldPlace() }
    }
}
