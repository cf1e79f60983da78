import Authorization
import Glibc
import Tenants
import Time

/// Chooses the server for a request, as one event loop does it: by what this loop knows, without a lock, and without
/// allocating.
///
/// Each choice is an attempt that is outstanding until ``ended(_:)``. In between, ``answered(_:begunAt:at:)`` and
/// ``failed(_:_:begunAt:at:)`` tell what became of it.
struct Balancer {
    private struct Entry {
        let weight: Int
        let identity: UInt64
        var health = ServerHealth()
        var outstanding = 0
        /// What it still has to get of past turns, in 1/1024 of a weight; less than nothing when it has had more.
        var owed: Int
    }

    /// What is asked for: the same for all servers that are looked at.
    private struct Wish {
        let tried: [ServerIndex]
        let key: UInt64
        let random: UInt64
        let now: MonotonicTime
        var isLastResort = false
    }

    let method: BalanceMethod
    private var entries: [Entry]

    /// - Parameters:
    ///   - servers: The weight of each, and a number that stands for it wherever it is in the list, such as the
    ///     ``StableHash`` of its address: a changed list then leaves the keys with the servers that remain.
    ///   - random: Where the turns begin, so that not every loop begins with the same server.
    init(_ servers: [(weight: Int, identity: UInt64)], method: BalanceMethod, random: UInt64) {
        self.method = method
        var phase = random
        entries = servers.map { server in
            phase = StableHash.stirred(phase)
            // The upper bound keeps sums and products far from overflow.
            let weight = min(max(1, server.weight), 1 << 20)
            let owed = Self.below(weight * ServerHealth.fullShare, phase)
            return Entry(weight: weight, identity: server.identity, owed: owed)
        }
    }

    var count: Int { entries.count }

    /// Takes on what another list knew of a server: how it is doing, and what is under way there.
    ///
    /// - Parameter keepsProbes: Whether it is probed in the same way as before; else what probes found is forgotten.
    mutating func adopt(_ server: ServerIndex, from other: Balancer, _ old: ServerIndex, keepsProbes: Bool) {
        entries[server].health = other.entries[old].health
        entries[server].outstanding = other.entries[old].outstanding
        if !keepsProbes { entries[server].health.forgetProbes() }
    }

    func health(of server: ServerIndex) -> ServerHealth { entries[server].health }

    func outstanding(of server: ServerIndex) -> Int { entries[server].outstanding }

    /// Chooses a server, and counts the attempt as outstanding there.
    /// - Parameters:
    ///   - tried: Servers that this request has been to.
    ///   - key: What ``BalanceMethod/hash`` goes by; a request without one is spread by a random number.
    ///   - random: For ``BalanceMethod/leastRequests``; a fresh one each time.
    /// - Returns: nil when there is none: the request is to be refused at once.
    mutating func choose(
        butNot tried: [ServerIndex] = [],
        key: UInt64,
        random: UInt64,
        at now: MonotonicTime
    ) -> ServerIndex? {
        var wish = Wish(tried: tried, key: key, random: random, now: now)
        var server = preferred(wish)
        if server == nil {
            wish.isLastResort = true
            server = preferred(wish)
        }
        guard let server else { return nil }
        entries[server].outstanding += 1
        entries[server].health.chosen(at: now)
        return server
    }

    // MARK: What became of it

    /// The attempt is over, however it went, or was not made after all. Once for each choice.
    ///
    /// - Returns: Whether there was one.
    mutating func ended(_ server: ServerIndex) -> Bool {
        guard entries[server].outstanding > 0 else { return false }
        entries[server].outstanding -= 1
        return true
    }

    /// See ``ServerHealth/connected(begunAt:)``.
    mutating func connected(_ server: ServerIndex, begunAt: MonotonicTime) {
        entries[server].health.connected(begunAt: begunAt)
    }

    /// The head of a final answer has come; see ``ServerHealth/answered(begunAt:at:)``.
    mutating func answered(_ server: ServerIndex, begunAt: MonotonicTime, at now: MonotonicTime) {
        entries[server].health.answered(begunAt: begunAt, at: now)
    }

    /// See ``ServerHealth/failed(_:begunAt:at:)``.
    /// - Returns: Whether this ejected the server.
    @discardableResult
    mutating func failed(
        _ server: ServerIndex,
        _ failure: ServerFailure,
        begunAt: MonotonicTime,
        at now: MonotonicTime
    ) -> Bool {
        entries[server].health.failed(failure, begunAt: begunAt, at: now)
    }

    /// See ``ServerHealth/probed(isUp:at:)``.
    mutating func probed(_ server: ServerIndex, isUp: Bool, at now: MonotonicTime) {
        entries[server].health.probed(isUp: isUp, at: now)
    }

    // MARK: Methods

    private mutating func preferred(_ wish: Wish) -> ServerIndex? {
        if entries.count == 1 { return isOpen(ServerIndex(0), wish) ? ServerIndex(0) : nil }
        switch method {
        case .roundRobin: return nextInTurn(wish)
        case .leastRequests: return lessBusyOfTwo(wish)
        case .hash: return keyed(wish)
        }
    }

    private func isOpen(_ server: ServerIndex, _ wish: Wish) -> Bool {
        let health = entries[server].health
        guard wish.isLastResort ? health.isLastResort(at: wish.now) : health.isAvailable(at: wish.now) else {
            return false
        }
        return wish.tried.isEmpty || !wish.tried.contains(server)
    }

    /// Among servers that are the last resort none is spared: they are all there is.
    private func share(of server: ServerIndex, _ wish: Wish) -> Int {
        wish.isLastResort ? ServerHealth.fullShare : entries[server].health.share(at: wish.now)
    }

    /// Everyone is owed its weight a turn, and who is owed most has the turn and pays what all were given. A server
    /// that sits out is neither given nor asked for anything.
    private mutating func nextInTurn(_ wish: Wish) -> ServerIndex? {
        var next: ServerIndex?
        var most = Int.min
        var given = 0
        for server in entries.serverIndices where isOpen(server, wish) {
            let part = entries[server].weight * share(of: server, wish)
            given += part
            entries[server].owed += part
            if entries[server].owed > most {
                most = entries[server].owed
                next = server
            }
        }
        if let next { entries[next].owed -= given }
        return next
    }

    private func lessBusyOfTwo(_ wish: Wish) -> ServerIndex? {
        var total = 0
        for server in entries.serverIndices where isOpen(server, wish) { total += entries[server].weight }
        guard let first = drawn(below: total, wish.random, wish, without: nil) else { return nil }
        let again = StableHash.stirred(wish.random)
        guard let second = drawn(below: total - entries[first].weight, again, wish, without: first) else {
            return first
        }
        let isSecondLessBusy = load(second) * entries[first].weight < load(first) * entries[second].weight
        // Among idle ones the draw decides alone: otherwise a quiet loop would use only the heaviest.
        let isIdle = entries[first].outstanding == 0 && entries[second].outstanding == 0
        let (better, other) = isSecondLessBusy && !isIdle ? (second, first) : (first, second)
        // One that returns has nothing to do and would win each time: it gives way in all but its share of these.
        let (part, otherPart) = (share(of: better, wish), share(of: other, wish))
        guard part < otherPart else { return better }
        return Self.below(otherPart, StableHash.stirred(again)) < part ? better : other
    }

    /// As it would be with one more.
    private func load(_ server: ServerIndex) -> Int { entries[server].outstanding + 1 }

    /// One of the servers, drawn by weight.
    /// - Parameter total: The sum of the weights.
    private func drawn(
        below total: Int,
        _ random: UInt64,
        _ wish: Wish,
        without left: ServerIndex?
    ) -> ServerIndex? {
        guard total > 0 else { return nil }
        var rest = Self.below(total, random)
        for server in entries.serverIndices where server != left && isOpen(server, wish) {
            rest -= entries[server].weight
            if rest < 0 { return server }
        }
        return nil
    }

    /// Rendezvous hashing (Thaler and Ravishankar, 1998) with weights: each server draws a number for the key, and the
    /// highest wins. Drawn as log(u)/weight, u even between 0 and 1, each wins as often as its weight says. A server
    /// that goes leaves its keys to their second best; one that returns takes keys from others, but moves none between
    /// them.
    private func keyed(_ wish: Wish) -> ServerIndex? {
        let key = StableHash.stirred(wish.key)
        var winner: ServerIndex?
        var highest = -Double.infinity
        for server in entries.serverIndices where isOpen(server, wish) {
            let bits = StableHash.stirred(key ^ entries[server].identity) >> 11
            let even = (Double(bits) + 0.5) * 0x1p-53
            let score = log(even) / Double(entries[server].weight * share(of: server, wish))
            if score > highest {
                highest = score
                winner = server
            }
        }
        return winner
    }

    /// A number from 0 to `bound` - 1, without the cost of a division.
    private static func below(_ bound: Int, _ random: UInt64) -> Int {
        Int(random.multipliedFullWidth(by: UInt64(bound)).high)
    }
}
