import Tenants

/// One client address holds at most half of a server's places while requests of other addresses wait.
extension ServerPool {
    /// How long the others wait before places are taken back, in nanoseconds.
    static let reliefInterval: UInt64 = 1_000_000_000

    /// - Parameter places: How many there are.
    static func share(of places: Int) -> Int { max(1, places / 2) }

    /// Ends exchanges of an address that holds more than its share, one for each request of another address that has
    /// waited too long. Only those whose server waits for the client, for the rest of the request or because the client
    /// does not read: the others need their place for the server's own work. Those whose answer has not begun go first,
    /// and of them the slowest.
    func takeBackPlaces(at now: UInt64) {
        guard now >= Self.reliefInterval else { return }
        var held: [SubjectName?: [ClientExchange]] = [:]
        var total = 0
        forEachClient { client in
            held[client.addressName, default: []].append(client)
            total += 1
        }
        guard let most = held.max(by: { $0.value.count < $1.value.count }) else { return }
        let excess = most.value.count - total / 2
        let late = othersWaiting(butNot: most.key, since: now - Self.reliefInterval)
        guard excess > 0, late > 0 else { return }
        let ending = most.value.filter(\.mayYieldPlace)
            .map { (client: $0, hasAnswer: $0.exchange.answerHasBegun, rate: $0.rateForServer(at: now)) }
            .sorted { $0.hasAnswer == $1.hasAnswer ? $0.rate < $1.rate : !$0.hasAnswer }
            .prefix(min(excess, late))
        for entry in ending { entry.client.yieldPlace() }
    }
}

extension ClientExchange {
    /// By what a server's places are shared: the client's address, beyond proxies that are trusted; of IPv6 the first 64
    /// bits. Nil where it has none.
    final var addressName: SubjectName? {
        guard peer.isTrustedProxy, let text = record.client else { return peer.limitSubject?.name }
        if let name = record.clientName { return name }
        let name = IPAddress(String(decoding: text, as: UTF8.self)).map { LimitSubject($0).name }
        record.clientName = name
        return name
    }

    /// Whether it may be ended for others that wait: the server waits for its client, for the rest of the request or
    /// because the client takes nothing of the answer.
    fileprivate var mayYieldPlace: Bool {
        switch phase {
        case .body: !isOwn && (!exchange.hasWholeRequest || !isWritable)
        case .answer: !isOwn && !isWritable
        case .head, .deciding, .waitingForServer, .tunnel, .readingPastBody, .closing, .lingering, .closed: false
        }
    }

    /// Bytes a second of what the server waits for.
    fileprivate func rateForServer(at now: UInt64) -> Double {
        guard isWritable else { return responseRateOwner == record.startedAt ? responseRate.average(at: now) : 0 }
        return requestRate.average(at: now)
    }

    fileprivate func yieldPlace() {
        guard mayYieldPlace else { return }
        let answerHasBegun = exchange.answerHasBegun
        abandonServer()
        if answerHasBegun { closeNow() } else { refuse(.overloaded, closing: true) }
    }

    /// It was taken out of a full queue. Nothing happens if it no longer waits.
    ///
    /// - Parameter startedAt: The request's.
    final func droppedFromQueue(of pool: ServerPool, startedAt: UInt64) {
        guard case .waitingForServer = phase, waitingAt === pool, record.startedAt == startedAt else { return }
        refuseWaiting(.overloaded)
    }
}
