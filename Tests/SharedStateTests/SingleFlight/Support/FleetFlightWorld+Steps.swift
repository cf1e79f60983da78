import Store
import TestSupport
import Time

@testable import SharedState

/// The instances' runner: does what flights say, each step in its own time.
extension FleetFlightWorld {
    typealias Event = (inout Flight, MonotonicTime) -> Flight.Step

    mutating func tell(_ place: Int, _ event: Event) {
        guard var flight = instances[place].flight else { return }
        let step = event(&flight, now)
        instances[place].flight = flight
        guard step != .none else { return }
        instances[place].step = step
        instances[place].due = now
        switch step {
        case .none: break
        case .lookUp: instances[place].reply = .lookedUp
        case .enqueue: instances[place].reply = .granted
        case .acquire: instances[place].reply = .acquired
        case .wait(let until), .pause(let until):
            instances[place].reply = .pauseEnded
            instances[place].due = until
        case .call:
            if instances[place].isStopping { complaints.append("a call was begun at the process's end") }
            instances[place].reply = .presented
        case .publish: instances[place].reply = .published
        case .finish(let ending): finish(place, ending)
        }
    }

    mutating func reply(to place: Int) {
        guard let reply = instances[place].reply, now >= instances[place].due else { return }
        instances[place].reply = nil
        switch reply {
        case .lookedUp:
            let lookup = lookUp()
            instances[place].storeAnswered = lookup != .away && lookup != .absent
            tell(place) { $0.lookedUp(lookup, at: $1) }
        case .granted: tell(place) { $0.granted(at: $1) }
        case .acquired:
            let grant = acquire()
            instances[place].storeAnswered = grant != .away && grant != .absent
            tell(place) { $0.acquired(grant, at: $1) }
        case .pauseEnded: tell(place) { $0.pauseEnded(at: $1) }
        case .presented:
            guard instances[place].flight?.mayCall(at: now) == true else {
                return tell(place) { $0.notCalled(at: $1) }
            }
            beginCall(place)
        case .called:
            let outcome = endCall(place)
            tell(place) { $0.called(outcome, at: $1) }
        case .published:
            guard case .publish(let record, let lease) = instances[place].step else { return }
            let publishing = publish(record, lease)
            tell(place) { $0.published(publishing, at: $1) }
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
        if let result, result != record { complaints.append("a result was overwritten") }
        result = record
        isSpentKnown = true
        return .done
    }

    // MARK: The provider

    /// The provider has it from the first moment on; the answer takes its time.
    private mutating func beginCall(_ place: Int) {
        calls += 1
        instances[place].isCalling = true
        instances[place].calledWithoutStore = instances[place].flight?.isWithoutStore ?? false
        if instances[place].calledWithoutStore {
            mayPresentAgain = true
            if !rules.callsWithoutStore { complaints.append("presented without the store") }
        }
        if instances[place].calledWithoutStore, instances[place].storeAnswered {
            complaints.append("alone, though the store had answered")
        }
        if let flight = instances[place].flight, !flight.isWithoutStore, lease != flight.lease || now >= leaseUntil {
            // It cannot know yet; whoever has the lease now cannot know that the token is under way.
            if !leaseVanished { complaints.append("a call without the lease") }
            mayPresentAgain = true
        }
        instances[place].reply = .called
        if hasAccidents, random.oneIn(8) {
            accidents.insert(.callFailed)
            instances[place].received = nil
            return
        }
        rotations += 1
        if rotations > 1 { isEnded = true }
        instances[place].received = rotations
    }

    private mutating func endCall(_ place: Int) -> Flight.CallOutcome {
        instances[place].isCalling = false
        guard let number = instances[place].received else {
            return .failed(.failure(until: now + 3_000_000_000), mayRetry: true)
        }
        if number > 1 { return .value(.refused) }
        return instances[place].knowsOfRevocation ? .cancelled : .value(.got(number))
    }

    // MARK: The end

    private mutating func finish(_ place: Int, _ ending: Flight.Ending) {
        let held = instances[place].flight?.lease
        let askers = instances[place].askers
        instances[place].flight = nil
        instances[place].reply = nil
        instances[place].askers = 0
        if instances[place].isCalling { mayPresentAgain = true }
        instances[place].isCalling = false
        if case .value(let record) = ending.content, record.isGot { instances[place].known = record }
        var isHandedOn = false
        if ending.isUnpublished, case .value(let record) = ending.content, record.isGot {
            accidents.insert(.resultUnstored)
            instances[place].unstored = (record, ending.lease)
            isHandedOn = true
            if held == nil { mayPresentAgain = true }
        }
        if !isHandedOn, isStoreUp, let held, lease == held { lease = nil }
        answer(place, askers, ending.content)
        guard ending.isOwn, !ending.isUnpublished else { return }
        if case .value(let record) = ending.content, record != result, record != failure, !isRevoked {
            complaints.append("what others should find is not there")
        }
        tellOthers(than: place)
    }

    private mutating func tellOthers(than place: Int) {
        guard isStoreUp else { return }
        for other in instances.indices where other != place {
            if hasAccidents, random.oneIn(3) {
                accidents.insert(.wordLost)
            } else {
                tell(other) { $0.announced(at: $1) }
            }
        }
    }

    /// Tries to have the store take what it has not, as the service does.
    mutating func store(_ place: Int) {
        guard isStoreUp, let unstored = instances[place].unstored else { return }
        var held = unstored.lease
        if held == nil, case .held(let new) = acquire() { held = new }
        guard let held else { return }
        instances[place].unstored?.lease = held
        // What another has brought meanwhile counts.
        if let result, result != unstored.record {
            instances[place].unstored = nil
        } else if publish(unstored.record, held) == .done {
            instances[place].unstored = nil
        } else {
            instances[place].unstored?.lease = nil
            mayPresentAgain = true
            return
        }
        if lease == held { lease = nil }
        tellOthers(than: place)
    }

    mutating func stop(_ place: Int) {
        guard !instances[place].isDead else { return }
        accidents.insert(.stopped)
        // What has been decided on already is presented, or was.
        tell(place) { $0.stop(at: $1) }
        instances[place].isStopping = true
    }

    mutating func answer(_ place: Int, _ count: Int, _ content: Flight.Ending.Content) {
        answered += count
        switch content {
        case .value(let record) where record.isGot:
            renewedAnswers += count
            if instances[place].knowsOfRevocation { complaints.append("a revoked session got new tokens") }
        case .value, .obstacle:
            if instances[place].received == 1, !instances[place].knowsOfRevocation, result == nil, failure == nil,
                !accidents.contains(.storeEmptied)
            {
                complaints.append("an instance lost what it was given")
            }
        case .cancelled:
            if !instances[place].knowsOfRevocation { complaints.append("nobody had revoked the session") }
        }
    }
}
