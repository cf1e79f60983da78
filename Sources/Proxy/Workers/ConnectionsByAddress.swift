import Authorization
import NIOCore
import Time

/// Whose connections make room when the process has as many as it may: idle ones of the addresses that have most of a
/// loop's, until these have no more than others. An address that has made room comes after all others for a while.
struct ConnectionsByAddress {
    typealias Address = SubjectName?

    struct Connection {
        let address: Address
        /// Whether it counts as one of its address.
        let takesRoom: Bool
        /// Whether it can be closed without a request being lost.
        let isIdle: Bool
    }

    /// Nanoseconds between two times that room is made: to look through all connections takes time.
    private static let interval: UInt64 = 100_000_000
    /// Nanoseconds for which an address that has made room comes after others.
    private static let memory: UInt64 = 10_000_000_000
    /// Addresses that were turned away and are remembered until room is made.
    private static let mostNewcomers = 64
    private static let mostCrowded = 4096
    /// The share of a loop's connections that make room at once.
    private static let share = 16

    private var newcomers: Set<Address> = []
    /// The addresses that have made room, each with when that is forgotten.
    private var crowded: [Address: MonotonicTime] = [:]
    private var nextTime = MonotonicTime.distantPast
    private var isMakingRoom = false

    /// How much of `limit` is kept for addresses that are not crowded.
    static func reserve(of limit: Int) -> Int { limit / share }

    /// Whether an address comes after others where only the reserve is left.
    func isCrowded(_ address: Address, at now: MonotonicTime) -> Bool {
        crowded[address].map { now < $0 } ?? false
    }

    /// A connection of `address` found no room.
    ///
    /// - Returns: Whether room is to be made.
    mutating func turnedAway(_ address: Address, at now: MonotonicTime) -> Bool {
        if newcomers.count < Self.mostNewcomers { newcomers.insert(address) }
        guard !isMakingRoom, now >= nextTime else { return false }
        isMakingRoom = true
        return true
    }

    /// Makes room for those who were turned away: by connections of addresses that have at least two more than one of
    /// them, those with most first.
    ///
    /// - Parameter connections: All of the loop.
    /// - Returns: The indices of those to close.
    mutating func makeRoom(among connections: [Connection], at now: MonotonicTime) -> [Int] {
        var counts: [Address: Int] = [:]
        for connection in connections where connection.takesRoom { counts[connection.address, default: 0] += 1 }
        let least = newcomers.map { counts[$0] ?? 0 }.min() ?? 0
        newcomers = []
        isMakingRoom = false
        nextTime = now + Self.interval
        let level = Self.level(counts.values, over: least + 1, wanted: max(1, connections.count / Self.share))
        var chosen: [Int] = []
        crowded = crowded.filter { now < $0.value }
        for (index, connection) in connections.enumerated() where connection.takesRoom && connection.isIdle {
            guard let count = counts[connection.address], count > level else { continue }
            counts[connection.address] = count - 1
            if crowded[connection.address] != nil || crowded.count < Self.mostCrowded {
                crowded[connection.address] = now + Self.memory
            }
            chosen.append(index)
        }
        return chosen
    }

    /// The highest number of connections to which the addresses have to come down for `wanted` to be closed, but at
    /// least `floor`.
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
    /// - Returns: Whether there is room for it.
    package func admit(_ client: any FrontConnection) -> ConnectionGauge.Room {
        let room = opened(client)
        switch room {
        case .welcome, .reserve: return room
        case .full, .flooded:
            if connections.crowd.turnedAway(client.address, at: lastTick) {
                // Not from here: it is another connection's turn.
                let bound = NIOLoopBound(self, eventLoop: eventLoop)
                eventLoop.execute { bound.value.makeRoom() }
            }
            return room
        }
    }

    /// Whether a connection may not stay in the room that is kept for others.
    func isCrowded(_ client: any FrontConnection) -> Bool {
        client.takesRoom && connections.crowd.isCrowded(client.address, at: lastTick)
    }

    private func makeRoom() {
        let all = connections.all.map {
            ConnectionsByAddress.Connection(address: $0.address, takesRoom: $0.takesRoom, isIdle: $0.isIdle)
        }
        let closing = connections.crowd.makeRoom(among: all, at: lastTick).map { connections.all[$0] }
        for client in closing {
            // HTTP/2 clients are told that nothing was lost.
            client.drain()
            client.closeNow()
        }
    }
}
