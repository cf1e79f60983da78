import Store
import Time

/// A flight under way, with the tasks that perform its steps.
struct FleetFlightRun<Value: Sendable & Equatable, Obstacle: FleetFlightObstacle>: Sendable {
    var flight: FleetSingleFlight<Value, Obstacle>
    let rules: FleetFlightRules
    let leaseKey: StoreKey
    /// Identifies the step under way among all of the runner's: late events of an earlier step are ignored.
    fileprivate(set) var turn: UInt64 = 0
    fileprivate var step: Task<Void, Never>?
    fileprivate var renewing: Task<Void, Never>?

    init(_ rules: FleetFlightRules, leaseKey: StoreKey, at now: MonotonicTime) {
        flight = FleetSingleFlight(at: now, rules)
        self.rules = rules
        self.leaseKey = leaseKey
    }

    func cancelTasks() {
        step?.cancel()
        renewing?.cancel()
    }
}

/// A runner's record of a flight.
protocol FleetFlightEntry: Sendable {
    associatedtype Value: Sendable & Equatable
    associatedtype Obstacle: FleetFlightObstacle

    var run: FleetFlightRun<Value, Obstacle> { get set }
}

/// Performs the steps of flights, one flight a key. Each key waits in its own task, so that none delays another.
protocol FleetFlightRunner: Actor {
    associatedtype Key: Hashable & Sendable
    associatedtype FlightEntry: FleetFlightEntry
    typealias Flight = FleetSingleFlight<FlightEntry.Value, FlightEntry.Obstacle>
    typealias FlightEvent = (inout Flight, _ now: MonotonicTime) -> Flight.Step

    var flights: [Key: FlightEntry] { get set }
    var lastTurn: UInt64 { get set }
    nonisolated var store: any Store { get }
    nonisolated var clock: FleetClock { get }

    /// - Returns: Whether a slot is free; otherwise the flight is ``FleetSingleFlight/granted(at:)`` one later.
    func requestCallSlot(_ key: Key) -> Bool
    /// Does nothing for a key without a slot.
    func releaseCallSlot(_ key: Key)
    func lookUp(_ entry: FlightEntry, _ key: Key, turn: UInt64) async -> Flight.Lookup
    /// Makes the call, immediately after checking ``mayCall(_:turn:)``.
    ///
    /// - Returns: Nil if the flight has already received another event instead.
    func call(_ entry: FlightEntry, _ key: Key, turn: UInt64) async -> Flight.CallOutcome?
    func publish(_ value: FlightEntry.Value, holding lease: Lease, _ entry: FlightEntry, _ key: Key) async
        -> Flight.Publishing
    /// Removes the entry, and releases its lease unless the ending hands it on.
    func finish(_ key: Key, _ ending: Flight.Ending)
}

extension FleetFlightRunner {
    /// Passes an event to a flight and performs the next step.
    ///
    /// - Parameter turn: Of the step that the event belongs to; nil for an event that may come at any time.
    /// - Returns: Whether the flight still exists and was on that step.
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
        if !flight.hasCallSlot { releaseCallSlot(key) }
        perform(step, key)
        return true
    }

    /// Whether the flight is still on this step.
    func isOn(_ turn: UInt64?, _ key: Key) -> Bool { flights[key]?.run.turn == turn }

    private func perform(_ step: Flight.Step, _ key: Key) {
        switch step {
        case .none: break
        case .lookUp:
            begin(key) { runner, entry, turn in
                let lookup = await runner.lookUp(entry, key, turn: turn)
                await runner.advance(key, turn: turn) { $0.lookedUp(lookup, at: $1) }
            }
        case .enqueue: if requestCallSlot(key) { advance(key) { $0.granted(at: $1) } }
        case .acquire: begin(key) { await $0.acquire($1, key, turn: $2) }
        case .wait(let until), .pause(let until):
            begin(key) { runner, _, turn in
                await runner.clock.sleep(until)
                await runner.advance(key, turn: turn) { $0.pauseEnded(at: $1) }
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

    /// Runs a step that has to wait in a task of its own.
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

    /// Renews the lease for as long as the flight holds it.
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

    /// Renews a lease until the task is cancelled or the lease is lost.
    ///
    /// - Parameter renewed: Called after each renewal with the time of the request; with nil when the lease is lost.
    func renewing(
        _ lease: Lease,
        _ rules: FleetFlightRules,
        renewed: @escaping @Sendable (Self, _ asked: MonotonicTime?) async -> Void
    ) -> Task<Void, Never> {
        let (clock, store) = (clock, store)
        return Task { [weak self] in
            while !Task.isCancelled {
                await clock.sleep(clock.monotonic() + rules.renewalInterval)
                if Task.isCancelled { return }
                let asked = clock.monotonic()
                // A failure of the store proves nothing.
                guard let isHeld = try? await store.renew(lease, for: rules.lease) else { continue }
                guard let self, !Task.isCancelled else { return }
                await renewed(self, isHeld ? asked : nil)
                if !isHeld { return }
            }
        }
    }

    /// Whether the lease is certainly held, checked immediately before the call, since the steps before may have taken
    /// long. If not, the flight gets ``FleetSingleFlight/notCalled(at:)``.
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
