/// The state of a client's connection: decides from events what to do next. It performs nothing itself, and takes time
/// and randomness as arguments.
///
/// With Sentinel, each attempt begins by asking for the master.
struct ClientState: Equatable {
    enum Phase: Equatable {
        case new
        case opening(RedisAddress, Handshake.Purpose)
        case ready(RedisAddress)
        case waiting
        case closed
    }

    enum Action: Equatable {
        case open(RedisAddress, Handshake.Purpose)
        case wait(Duration)
        case nothing
    }

    private enum Servers: Equatable {
        case direct([RedisAddress], next: Int)
        case sentinels(SentinelRound, masterName: String)
    }

    private(set) var phase = Phase.new
    /// How many connections have become ready so far.
    private(set) var connectionNumber: UInt64 = 0
    /// Why there is no connection. Nil while there is one, and until all addresses were tried.
    private(set) var failure: ConnectFailure?
    private var servers: Servers
    private var backoff: Backoff

    init(_ configuration: RedisConfiguration) {
        switch configuration.servers {
        case .direct(let addresses): servers = .direct(addresses, next: 0)
        case .sentinels(let addresses, let masterName, _):
            servers = .sentinels(SentinelRound(addresses), masterName: masterName)
        }
        backoff = Backoff(configuration.retry)
    }

    var isReady: Bool {
        if case .ready = phase { true } else { false }
    }

    var hasSentinels: Bool {
        if case .sentinels = servers { true } else { false }
    }

    mutating func started() -> Action {
        guard phase == .new else { return .nothing }
        return open()
    }

    /// The wait is over.
    mutating func waited() -> Action {
        guard phase == .waiting else { return .nothing }
        return open()
    }

    /// The sentinel named this address.
    mutating func masterFound(_ address: RedisAddress) -> Action {
        guard case .opening = phase, case .sentinels(var round, let masterName) = servers else { return .nothing }
        round.responded()
        servers = .sentinels(round, masterName: masterName)
        return opening(address, .commands(mustBeMaster: true))
    }

    /// The opened connection is ready for commands.
    mutating func becameReady() {
        guard case .opening(let address, _) = phase else { return }
        phase = .ready(address)
        failure = nil
        connectionNumber += 1
    }

    /// The connection has lasted longer than any wait: its end is no sign that the next one will fail.
    mutating func provedLasting() {
        if isReady { backoff.reset() }
    }

    /// The connection could not be opened.
    mutating func openingFailed(
        _ failure: ConnectFailure,
        using generator: inout some RandomNumberGenerator
    ) -> Action {
        guard case .opening(_, let purpose) = phase else { return .nothing }
        let isRefused = if case .refused = failure { true } else { false }
        switch servers {
        case .direct(let addresses, let index):
            servers = .direct(addresses, next: (index + 1) % max(1, addresses.count))
            // A wrong password is wrong at the other addresses too.
            if index + 1 < addresses.count, !isRefused { return open() }
            return wait(failure, isRefused: isRefused, using: &generator)
        case .sentinels(var round, let masterName):
            var roundRefused = isRefused
            if case .findMaster = purpose {
                round.failed(refused: isRefused)
                servers = .sentinels(round, masterName: masterName)
                if round.next() != nil { return open() }
                roundRefused = round.allRefused
                round.begin()
            } else {
                round.misled()
            }
            servers = .sentinels(round, masterName: masterName)
            return wait(failure, isRefused: roundRefused, using: &generator)
        }
    }

    /// The ready connection is lost.
    mutating func lost(_ reason: String, using generator: inout some RandomNumberGenerator) -> Action {
        guard isReady else { return .nothing }
        if case .direct(let addresses, _) = servers { servers = .direct(addresses, next: 0) }
        return wait(.transient(reason), isRefused: false, using: &generator)
    }

    mutating func closed() { phase = .closed }

    private mutating func open() -> Action {
        switch servers {
        case .direct(let addresses, let index):
            guard addresses.indices.contains(index) else { return nowhere() }
            return opening(addresses[index], .commands(mustBeMaster: false))
        case .sentinels(let round, let masterName):
            guard let sentinel = round.next() else { return nowhere() }
            return opening(sentinel, .findMaster(name: masterName))
        }
    }

    /// There is no address at all.
    private mutating func nowhere() -> Action {
        phase = .waiting
        failure = .refused("no server is configured")
        return .nothing
    }

    private mutating func opening(_ address: RedisAddress, _ purpose: Handshake.Purpose) -> Action {
        phase = .opening(address, purpose)
        return .open(address, purpose)
    }

    /// - Parameter isRefused: Whether all attempts were refused, not only the last one.
    private mutating func wait(
        _ failure: ConnectFailure,
        isRefused: Bool,
        using generator: inout some RandomNumberGenerator
    ) -> Action {
        phase = .waiting
        self.failure = isRefused ? .refused(failure.reason) : .transient(failure.reason)
        return .wait(isRefused ? backoff.nextWhenRefused(using: &generator) : backoff.next(using: &generator))
    }
}
