import Store
import TestSupport
import Time

@testable import SharedState

/// The instances' runner: performs the steps of flights, each taking a random time.
extension FleetFlightWorld {
    typealias Event = (inout Flight, MonotonicTime) -> Flight.Step

    mutating func advance(_ index: Int, _ event: Event) {
        guard var flight = instances[index].flight else { return }
        let step = event(&flight, now)
        instances[index].flight = flight
        guard step != .none else { return }
        instances[index].step = step
        instances[index].due = now
        switch step {
        case .none: break
        case .lookUp: instances[index].reply = .lookedUp
        case .enqueue: instances[index].reply = .granted
        case .acquire: instances[index].reply = .acquired
        case .wait(let until), .pause(let until):
            instances[index].reply = .pauseEnded
            instances[index].due = until
        case .call:
            if instances[index].isStopping { violations.append("a call was begun at the process's end") }
            instances[index].reply = .presented
        case .publish: instances[index].reply = .published
        case .finish(let ending): finish(index, ending)
        }
    }

    mutating func reply(to index: Int) {
        guard let reply = instances[index].reply, now >= instances[index].due else { return }
        instances[index].reply = nil
        switch reply {
        case .lookedUp:
            let lookup = lookUp()
            instances[index].storeAnswered = lookup != .away && lookup != .absent
            advance(index) { $0.lookedUp(lookup, at: $1) }
        case .granted: advance(index) { $0.granted(at: $1) }
        case .acquired:
            let grant = acquire()
            instances[index].storeAnswered = grant != .away && grant != .absent
            advance(index) { $0.acquired(grant, at: $1) }
        case .pauseEnded: advance(index) { $0.pauseEnded(at: $1) }
        case .presented:
            guard instances[index].flight?.mayCall(at: now) == true else {
                return advance(index) { $0.notCalled(at: $1) }
            }
            beginCall(index)
        case .called:
            let outcome = endCall(index)
            advance(index) { $0.called(outcome, at: $1) }
        case .published:
            guard case .publish(let record, let lease) = instances[index].step else { return }
            let publishing = publish(record, lease)
            advance(index) { $0.published(publishing, at: $1) }
        }
    }

    // MARK: The store

    /// Whether calls to it fail at once, for it has been away for as long as anyone waits.
    private var isStoreAbsent: Bool { now - storeDownSince >= 2_000_000_000 }

    private func lookUp() -> Flight.Lookup {
        guard isStoreUp else { return isStoreAbsent ? .absent : .away }
        if let result { return .found(result) }
        if isSpentKnown { return .obstacle(.spentToken) }
        switch failure {
        case .refused?: return .found(.refused)
        case .failure(let until)? where now < until: return .failed(.failure(until: until))
        case .failure?, .got?, nil: break
        }
        return .nothing
    }

    private mutating func acquire() -> Flight.Grant {
        guard isStoreUp else { return isStoreAbsent ? .absent : .away }
        if now >= leaseUntil { endLease() }
        guard lease == nil else { return .busy }
        leases += 1
        let new = Lease(
            key: StoreKey(tenant: "chat", kind: "refresh-lease", name: "s"),
            holder: "\(leases)",
            fencingToken: leases
        )
        lease = new
        leaseUntil = now + rules.leaseDuration
        return .held(new)
    }

    private mutating func publish(_ record: Value, _ held: Lease) -> Flight.Publishing {
        guard isStoreUp else { return .away }
        guard lease == held, now < leaseUntil else { return .lost }
        guard record.isGot else {
            failure = record
            return .done
        }
        if let result, result != record { violations.append("a result was overwritten") }
        result = record
        isSpentKnown = true
        return .done
    }

    // MARK: The provider

    /// The provider has the token from the first moment on; the response takes a random time.
    private mutating func beginCall(_ index: Int) {
        calls += 1
        instances[index].isCalling = true
        instances[index].calledWithoutStore = instances[index].flight?.isWithoutStore ?? false
        if instances[index].calledWithoutStore {
            mayPresentAgain = true
            if !rules.callsWithoutStore { violations.append("presented without the store") }
        }
        if instances[index].calledWithoutStore, instances[index].storeAnswered {
            violations.append("alone, though the store had completed")
        }
        if let flight = instances[index].flight, !flight.isWithoutStore, lease != flight.lease || now >= leaseUntil {
            // It does not know yet, and the new holder does not know that the token is being presented.
            if !leaseVanished { violations.append("a call without the lease") }
            mayPresentAgain = true
        }
        instances[index].reply = .called
        if hasAccidents, random.oneIn(8) {
            accidents.insert(.callFailed)
            instances[index].received = nil
            return
        }
        rotations += 1
        if rotations > 1 { isEnded = true }
        instances[index].received = rotations
    }

    private mutating func endCall(_ index: Int) -> Flight.CallOutcome {
        instances[index].isCalling = false
        guard let number = instances[index].received else {
            return .failed(.failure(until: now + 3_000_000_000), mayRetry: true)
        }
        if number > 1 { return .value(.refused) }
        return instances[index].knowsOfRevocation ? .cancelled : .value(.got(number))
    }

    // MARK: The end

    private mutating func finish(_ index: Int, _ ending: Flight.Ending) {
        let held = instances[index].flight?.lease
        let waiting = instances[index].waiting
        instances[index].flight = nil
        instances[index].reply = nil
        instances[index].waiting = 0
        if instances[index].isCalling { mayPresentAgain = true }
        instances[index].isCalling = false
        if case .value(let record) = ending.content, record.isGot { instances[index].known = record }
        var isHandedOn = false
        if ending.isUnpublished, case .value(let record) = ending.content, record.isGot {
            accidents.insert(.resultUnstored)
            instances[index].unstored = (record, ending.lease)
            isHandedOn = true
            if held == nil { mayPresentAgain = true }
        }
        if !isHandedOn, isStoreUp, let held, lease == held { lease = nil }
        complete(index, waiting, ending.content)
        guard ending.isOwn, !ending.isUnpublished else { return }
        if case .value(let record) = ending.content, record != result, record != failure, !isRevoked {
            violations.append("what others should find is not there")
        }
        notifyOthers(than: index)
    }

    private mutating func notifyOthers(than index: Int) {
        guard isStoreUp else { return }
        for other in instances.indices where other != index {
            if hasAccidents, random.oneIn(3) {
                accidents.insert(.announcementLost)
            } else {
                advance(other) { $0.announced(at: $1) }
            }
        }
    }

    /// Tries to write an unstored value, as the service does.
    mutating func store(_ index: Int) {
        guard isStoreUp, let unstored = instances[index].unstored else { return }
        var held = unstored.lease
        if held == nil, case .held(let new) = acquire() { held = new }
        guard let held else { return }
        instances[index].unstored?.lease = held
        // A value that another instance has stored meanwhile counts.
        if let result, result != unstored.record {
            instances[index].unstored = nil
        } else if publish(unstored.record, held) == .done {
            instances[index].unstored = nil
        } else {
            instances[index].unstored?.lease = nil
            mayPresentAgain = true
            return
        }
        if lease == held { lease = nil }
        notifyOthers(than: index)
    }

    mutating func stop(_ index: Int) {
        guard !instances[index].isDead else { return }
        accidents.insert(.stopped)
        // A call that has been decided on is still made.
        advance(index) { $0.stop(at: $1) }
        instances[index].isStopping = true
    }

    mutating func complete(_ index: Int, _ count: Int, _ content: Flight.Ending.Content) {
        completed += count
        switch content {
        case .value(let record) where record.isGot:
            renewals += count
            if instances[index].knowsOfRevocation { violations.append("a revoked session got new tokens") }
        case .value, .obstacle:
            if instances[index].received == 1, !instances[index].knowsOfRevocation, result == nil, failure == nil,
                !accidents.contains(.storeEmptied)
            {
                violations.append("an instance lost what it was given")
            }
        case .cancelled:
            if !instances[index].knowsOfRevocation { violations.append("nobody had revoked the session") }
        }
    }
}
