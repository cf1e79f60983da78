import Authorization
import NIOCore
import Time

/// Chooses connections to close when the process is at its limit: idle ones of the addresses that have most on a loop,
/// until these have no more than others. An address that has lost connections ranks behind all others for a while.
struct ConnectionsByAddress {
    typealias Address = SubjectName?

    struct Connection {
        let address: Address
        /// Whether it counts as one of its address's connections.
        let countsForAddress: Bool
        /// Whether it can be closed without losing a request.
        let isIdle: Bool
    }

    /// Nanoseconds between two rounds of closing, each of which goes through all connections.
    private static let interval: UInt64 = 100_000_000
    /// Nanoseconds for which a crowded address ranks behind others.
    private static let penalty: UInt64 = 10_000_000_000
    /// Refused addresses that are remembered until the next round.
    private static let mostRefusedAddresses = 64
    private static let mostCrowded = 4096
    /// A round closes about one in this many of a loop's connections, and the reserve is one in this many of the limit.
    private static let share = 16

    private var refusedAddresses: Set<Address> = []
    /// Crowded addresses, each with the time until which it ranks behind others.
    private var crowded: [Address: MonotonicTime] = [:]
    private var nextTime = MonotonicTime.distantPast
    private var isRoundDue = false

    /// The part of `limit` that is kept for addresses that are not crowded.
    static func reserve(of limit: Int) -> Int { limit / share }

    /// Whether an address ranks behind others while only the reserve is left.
    func isCrowded(_ address: Address, at now: MonotonicTime) -> Bool {
        crowded[address].map { now < $0 } ?? false
    }

    /// A connection of `address` was refused.
    ///
    /// - Returns: Whether a round is due.
    mutating func refused(_ address: Address, at now: MonotonicTime) -> Bool {
        if refusedAddresses.count < Self.mostRefusedAddresses { refusedAddresses.insert(address) }
        guard !isRoundDue, now >= nextTime else { return false }
        isRoundDue = true
        return true
    }

    /// Chooses idle connections to close in favour of the refused addresses. An address loses some only if it has at
    /// least two more than the refused address with the fewest; those with the most lose theirs first.
    ///
    /// - Parameter connections: All connections of the loop.
    /// - Returns: Their indices.
    mutating func chooseIdle(among connections: [Connection], at now: MonotonicTime) -> [Int] {
        var counts: [Address: Int] = [:]
        for connection in connections where connection.countsForAddress { counts[connection.address, default: 0] += 1 }
        let least = refusedAddresses.map { counts[$0] ?? 0 }.min() ?? 0
        refusedAddresses = []
        isRoundDue = false
        nextTime = now + Self.interval
        let level = Self.level(counts.values, over: least + 1, wanted: max(1, connections.count / Self.share))
        var chosen: [Int] = []
        crowded = crowded.filter { now < $0.value }
        for (index, connection) in connections.enumerated() where connection.countsForAddress && connection.isIdle {
            guard let count = counts[connection.address], count > level else { continue }
            counts[connection.address] = count - 1
            if crowded[connection.address] != nil || crowded.count < Self.mostCrowded {
                crowded[connection.address] = now + Self.penalty
            }
            chosen.append(index)
        }
        return chosen
    }

    /// The greatest number of connections that addresses may keep so that at least `wanted` are closed; never below
    /// `floor`, even if fewer are closed then.
    private static func level(_ counts: some Collection<Int>, over floor: Int, wanted: Int) -> Int {
        guard let most = counts.max(), most > floor else { return floor }
        var addressesWith = [Int](repeating: 0, count: most + 1)
        for count in counts { addressesWith[count] += 1 }
        var level = most
        var above = 0
        var closed = 0
        while level > floor, closed < wanted {
            above += addressesWith[level]
            closed += above
            level -= 1
        }
        return level
    }
}

extension Worker {
    /// A connection has opened.
    ///
    /// - Returns: Whether it is accepted.
    package func admit(_ client: any FrontConnection) -> ConnectionGauge.Admission {
        let admission = opened(client)
        switch admission {
        case .accepted, .reserve: return admission
        case .full, .flooded:
            if connections.byAddress.refused(client.address, at: lastTick) {
                // Deferred: the connections to close may be in the middle of an operation.
                let bound = NIOLoopBound(self, eventLoop: eventLoop)
                eventLoop.execute { bound.value.closeIdleConnections() }
            }
            return admission
        }
    }

    /// Whether a connection may not use the reserve.
    func isCrowded(_ client: any FrontConnection) -> Bool {
        client.countsForAddress && connections.byAddress.isCrowded(client.address, at: lastTick)
    }

    private func closeIdleConnections() {
        let all = connections.all.map {
            ConnectionsByAddress.Connection(
                address: $0.address,
                countsForAddress: $0.countsForAddress,
                isIdle: $0.isIdle
            )
        }
        let closing = connections.byAddress.chooseIdle(among: all, at: lastTick).map { connections.all[$0] }
        for client in closing {
            // HTTP/2 clients learn from GOAWAY that no request was lost.
            client.drain()
            client.closeNow()
        }
    }
}
