import Store
import Time

/// A flight under way, with the tasks that perform its steps.
struct FleetFlightRun<Value: Sendable & Equatable, Obstacle: FleetFlightObstacle>: Sendable {
    var flight: FleetSingleFlight<Value, Obstacle>
    let rules: FleetFlightRules
    let leaseKey: StoreKey
    /// Of the step under way; no two of any flights of a runner have the same. What an earlier one says late is not for
    /// the next.
    fileprivate(set) var turn: UInt64 = 0
    fileprivate var step: Task<Void, Never>?
    fileprivate var renewing: Task<Void, Never>?

    init(_ rules: FleetFlightRules, leaseKey: StoreKey, at now: MonotonicTime) {
        flight = FleetSingleFlight(at: now, rules)
        self.rules = rules
        self.leaseKey = leaseKey
    }

    /// Ends what is under way.
    func cancelTasks() {
        step?.cancel()
        renewing?.cancel()
    }
}

/// What a runner keeps of a flight.
protocol FleetFlightEntry: Sendable {
    associatedtype Value: Sendable & Equatable
    associatedtype Obstacle: FleetFlightObstacle

    var run: FleetFlightRun<Value, Obstacle> { get set }
}

/// Has flights, one a key, and performs what they say. Nothing here waits for anything but in a task of the key's own,
/// so that no key holds up another.
protocol FleetFlightRunner: Actor {
    associatedtype Key: Hashable & Sendable
    associatedtype FlightEntry: FleetFlightEntry
    typealias Flight = FleetSingleFlight<FlightEntry.Value, FlightEntry.Obstacle>
    typealias FlightEvent = (inout Flight, _ now: MonotonicTime) -> Flight.Step

    var flights: [Key: FlightEntry] { get set }
    var lastTurn: UInt64 { get set }
    nonisolated var store: any Store { get }
    nonisolated var clock: FleetClock { get }

    /// - Returns: Whether it may call now; else it is told when it may.
    func askForPlace(_ key: Key) -> Bool
    /// Also said of what has no place.
    func leavePlace(_ key: Key)
    func look(_ entry: FlightEntry, _ key: Key, turn: UInt64) async -> Flight.Look
    /// Makes the call, right after ``mayCall(_:turn:)`` has said that it may.
    ///
    /// - Returns: Nil if the flight was told otherwise already.
    func call(_ entry: FlightEntry, _ key: Key, turn: UInt64) async -> Flight.CallOutcome?
    func publish(_ value: FlightEntry.Value, holding lease: Lease, _ entry: FlightEntry, _ key: Key) async
        -> Flight.Publishing
    /// Takes the entry, and gives its lease back if that is not handed on.
    func finish(_ key: Key, _ ending: Flight.Ending)
}

extension FleetFlightRunner {
    /// Tells a flight what happened and does what follows.
    ///
    /// - Parameter turn: Of the step that this came of; nil for what may come at any time.
    /// - Returns: Whether the flight is still there and on that step.
    @discardableResult
    func advance(_ key: Key, turn: UInt64? = nil, _ event: FlightEvent) -> Bool {
        guard var flight = flights[key]?.run.flight, turn == nil || isOn(turn, key) else { return false }
        let step = event(&flight, clock.monotonic())
        flights[key]?.run.flight = flight
        guard step != .none else { return true }
        lastTurn += 1
        flights[key]?.run.turn = lastTurn
        flights[key]?.run.step?.cancel()
        flights[key]?.run.step = nil
        keepLease(key)
        if !flight.hasPlace { leavePlace(key) }
        perform(step, key)
        return true
    }

    /// Whether the flight is on this step still.
    func isOn(_ turn: UInt64?, _ key: Key) -> Bool { flights[key]?.run.turn == turn }

    private func perform(_ step: Flight.Step, _ key: Key) {
        switch step {
        case .none: break
        case .look:
            begin(key) { runner, entry, turn in
                let look = await runner.look(entry, key, turn: turn)
                await runner.advance(key, turn: turn) { $0.looked(look, at: $1) }
            }
        case .enqueue: if askForPlace(key) { advance(key) { $0.granted(at: $1) } }
        case .acquire: begin(key) { await $0.acquire($1, key, turn: $2) }
        case .wait(let until), .rest(let until):
            begin(key) { runner, _, turn in
                await runner.clock.sleep(until)
                await runner.advance(key, turn: turn) { $0.rested(at: $1) }
            }
        case .call:
            begin(key) { runner, entry, turn in
                guard let outcome = await runner.call(entry, key, turn: turn) else { return }
                await runner.advance(key, turn: turn) { $0.called(outcome, at: $1) }
            }
        case .publish(let value, let lease):
            begin(key) { runner, entry, turn in
                let publishing = await runner.publish(value, holding: lease, entry, key)
                await runner.published(publishing, lease, key, turn: turn)
            }
        case .finish(let ending): finish(key, ending)
        }
    }

    /// A task for a step that has to wait for somebody.
    private func begin(_ key: Key, _ work: @escaping @Sendable (Self, FlightEntry, UInt64) async -> Void) {
        guard let turn = flights[key]?.run.turn else { return }
        flights[key]?.run.step = Task { [weak self] in
            guard let self, let entry = await self.flights[key], entry.run.turn == turn else { return }
            await work(self, entry, turn)
        }
    }

    private func published(_ publishing: Flight.Publishing, _ lease: Lease, _ key: Key, turn: UInt64) {
        if publishing == .lost { leaseWasLost(lease, key) }
        advance(key, turn: turn) { $0.published(publishing, at: $1) }
    }

    // MARK: The lease

    private func acquire(_ entry: FlightEntry, _ key: Key, turn: UInt64) async {
        let grant = await grant(of: entry.run.leaseKey, for: entry.run.rules.lease)
        let isExpected = advance(key, turn: turn) { $0.acquired(grant, at: $1) }
        if !isExpected, case .held(let lease) = grant { try? await store.release(lease) }
    }

    func grant(of key: StoreKey, for duration: Duration) async -> Flight.Grant {
        do throws(StoreError) {
            guard let lease = try await store.acquire(key, for: duration) else { return .busy }
            return .held(lease)
        } catch {
            return store.isAbsent ? .absent : .away
        }
    }

    /// Renews the lease as long as the flight has it.
    private func keepLease(_ key: Key) {
        guard let run = flights[key]?.run, run.renewing == nil, let lease = run.flight.lease else { return }
        flights[key]?.run.renewing = renewing(lease, run.rules) { runner, asked in
            if let asked {
                await runner.leaseWasRenewed(lease, key, at: asked)
            } else {
                await runner.leaseWasLost(lease, key)
            }
        }
    }

    /// - Parameter told: Hears when the store was asked to renew the lease and did; nil: it is lost.
    func renewing(
        _ lease: Lease,
        _ rules: FleetFlightRules,
        told: @escaping @Sendable (Self, _ asked: MonotonicTime?) async -> Void
    ) -> Task<Void, Never> {
        let (clock, store) = (clock, store)
        return Task { [weak self] in
            while !Task.isCancelled {
                await clock.sleep(clock.monotonic() + rules.renewalInterval)
                if Task.isCancelled { return }
                let asked = clock.monotonic()
                // That the store cannot be asked says nothing; it will once it can.
                guard let isHeld = try? await store.renew(lease, for: rules.lease) else { continue }
                guard let self, !Task.isCancelled else { return }
                await told(self, isHeld ? asked : nil)
                if !isHeld { return }
            }
        }
    }

    /// Whether the lease is held for certain, at the last moment: what came before may have taken its time. If not, the
    /// flight was told so.
    func mayCall(_ key: Key, turn: UInt64) async -> Bool {
        guard let run = flights[key]?.run, run.turn == turn else { return false }
        if run.flight.mayCall(at: clock.monotonic()) { return true }
        if let lease = run.flight.lease {
            let asked = clock.monotonic()
            switch try? await store.renew(lease, for: run.rules.lease) {
            case true?: leaseWasRenewed(lease, key, at: asked)
            case false?: leaseWasLost(lease, key)
            case nil: break
            }
            guard let run = flights[key]?.run, run.turn == turn else { return false }
            if run.flight.mayCall(at: clock.monotonic()) { return true }
        }
        advance(key, turn: turn) { $0.notCalled(at: $1) }
        return false
    }

    private func leaseWasRenewed(_ lease: Lease, _ key: Key, at asked: MonotonicTime) {
        flights[key]?.run.flight.renewed(lease, at: asked)
    }

    private func leaseWasLost(_ lease: Lease, _ key: Key) {
        guard flights[key]?.run.flight.lease == lease else { return }
        flights[key]?.run.flight.leaseWasLost(lease)
        flights[key]?.run.renewing?.cancel()
        flights[key]?.run.renewing = nil
    }
}
