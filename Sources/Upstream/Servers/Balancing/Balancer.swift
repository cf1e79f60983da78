import Authorization
import Glibc
import Tenants
import Time

/// Chooses the server for a request on one event loop, from this loop's own knowledge, without locks or allocations.
///
/// Each choice is an attempt that is outstanding until ``ended(_:)``. Meanwhile ``answered(_:begunAt:at:)`` and
/// ``failed(_:_:begunAt:at:)`` report its result.
struct Balancer {
    private struct Entry {
        let weight: Int
        let identity: UInt64
        var health = ServerHealth()
        var outstanding = 0
        /// Credit from past turns, in 1/1024 of a weight; negative after more than its share.
        var owed: Int
    }

    /// The parameters of a choice, the same for all servers.
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
    ///   - servers: The weight of each, and a number that identifies it wherever it is in the list, such as the
    ///     ``StableHash`` of its address: a changed list then leaves the keys with the servers that remain.
    ///   - random: Where the turns begin, so that not every loop begins with the same server.
    init(_ servers: [(weight: Int, identity: UInt64)], method: BalanceMethod, random: UInt64) {
        self.method = method
        var phase = random
        entries = servers.map { server in
            phase = StableHash.mixed(phase)
            // The upper bound keeps sums and products far from overflow.
            let weight = min(max(1, server.weight), 1 << 20)
            let owed = Self.below(weight * ServerHealth.fullShare, phase)
            return Entry(weight: weight, identity: server.identity, owed: owed)
        }
    }

    var count: Int { entries.count }

    /// Takes over what another list knew of a server: its health, and its outstanding attempts.
    ///
    /// - Parameter keepsProbes: Whether it is probed in the same way as before; if not, probe results are forgotten.
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
    ///   - key: For ``BalanceMethod/hash``; a request without a key is placed by a random number.
    ///   - random: For ``BalanceMethod/leastRequests``; a fresh one each time.
    /// - Returns: Nil if there is none: refuse the request at once.
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

    // MARK: Results

    /// The attempt is over, whatever its result, or was not made after all. Call it once for each choice.
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

    /// The head of a final response arrived; see ``ServerHealth/answered(begunAt:at:)``.
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

    /// Last-resort servers get their full share: there are no others.
    private func share(of server: ServerIndex, _ wish: Wish) -> Int {
        wish.isLastResort ? ServerHealth.fullShare : entries[server].health.share(at: wish.now)
    }

    /// Each server is credited with its weight per turn; the one with the most credit gets the turn and pays the sum. A
    /// server that sits out is neither credited nor charged.
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
        let again = StableHash.mixed(wish.random)
        guard let second = drawn(below: total - entries[first].weight, again, wish, without: first) else {
            return first
        }
        let isSecondLessBusy = load(second) * entries[first].weight < load(first) * entries[second].weight
        // Among idle servers only the draw decides: otherwise a quiet loop would use only the heaviest.
        let isIdle = entries[first].outstanding == 0 && entries[second].outstanding == 0
        let (better, other) = isSecondLessBusy && !isIdle ? (second, first) : (first, second)
        // A server that returns is idle and would win each time: its reduced share limits how often.
        let (part, otherPart) = (share(of: better, wish), share(of: other, wish))
        guard part < otherPart else { return better }
        return Self.below(otherPart, StableHash.mixed(again)) < part ? better : other
    }

    /// The load with one more request.
    private func load(_ server: ServerIndex) -> Int { entries[server].outstanding + 1 }

    /// Draws one of the servers by weight.
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
    /// highest wins. Drawn as log(u)/weight with u uniform between 0 and 1, each wins in proportion to its weight. A
    /// server that leaves gives its keys to their second best; one that returns takes keys from others, but moves none
    /// between them.
    private func keyed(_ wish: Wish) -> ServerIndex? {
        let key = StableHash.mixed(wish.key)
        var winner: ServerIndex?
        var highest = -Double.infinity
        for server in entries.serverIndices where isOpen(server, wish) {
            let bits = StableHash.mixed(key ^ entries[server].identity) >> 11
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
