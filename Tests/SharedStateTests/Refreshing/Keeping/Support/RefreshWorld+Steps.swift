import Store
import TestSupport
import Time

@testable import SharedState

/// The instances' runner: does what flights say, each step in its own time.
extension RefreshWorld {
    typealias Event = (inout RefreshFlight, MonotonicTime) -> RefreshFlight.Step

    mutating func tell(_ place: Int, _ event: Event) {
        guard var flight = instances[place].flight else { return }
        let step = event(&flight, now)
        instances[place].flight = flight
        guard step != .none else { return }
        instances[place].step = step
        instances[place].due = now
        switch step {
        case .none: break
        case .look: instances[place].reply = .looked
        case .enqueue: instances[place].reply = .granted
        case .acquire: instances[place].reply = .acquired
        case .wait(let until), .rest(let until):
            instances[place].reply = .rested
            instances[place].due = until
        case .call:
            if instances[place].isStopping { complaints.append("a call was begun at the process's end") }
            instances[place].reply = .presented
        case .check: instances[place].reply = .checked
        case .publish: instances[place].reply = .published
        case .finish(let ending): finish(place, ending)
        }
    }

    mutating func reply(to place: Int) {
        guard let reply = instances[place].reply, now >= instances[place].due else { return }
        instances[place].reply = nil
        let failure = { [now] in RefreshRecord.failure($0, presented: nil, at: UnixTime(Double(now.nanoseconds) / 1e9))
        }
        switch reply {
        case .looked:
            let look = look()
            instances[place].storeAnswered = look != .away && look != .absent
            tell(place) { flight, now in flight.looked(look, at: now) }
        case .granted: tell(place) { flight, now in flight.granted(at: now) }
        case .acquired:
            let grant = acquire()
            instances[place].storeAnswered = grant != .away && grant != .absent
            tell(place) { flight, now in flight.acquired(grant, at: now) }
        case .rested: tell(place) { flight, now in flight.rested(at: now) }
        case .presented:
            guard instances[place].flight?.mayCall(at: now) == true else {
                return tell(place) { flight, now in flight.notCalled(at: now) }
            }
            beginCall(place)
        case .called:
            let answer = endCall(place)
            tell(place) { flight, now in flight.called(answer, at: now, failure: failure) }
        case .checked:
            let check: RefreshFlight.Check =
                instances[place].knowsOfRevocation ? .revoked : .good(record(instances[place].received ?? 0))
            tell(place) { flight, now in flight.checked(check, at: now, failure: failure) }
        case .published:
            guard case .publish(let record, let lease) = instances[place].step else { return }
            let publishing = publish(record, lease)
            tell(place) { flight, now in flight.published(publishing, at: now) }
        }
    }

    // MARK: The store

    /// Whether calls to it fail at once, for it has been away for as long as anyone waits.
    private var isStoreAbsent: Bool { now - storeDownSince >= 2_000_000_000 }

    private func look() -> RefreshFlight.Look {
        guard isStoreUp else { return isStoreAbsent ? .absent : .away }
        if let result { return .found(result) }
        if isSpentKnown { return .spent }
        if let failure, UnixTime(Double(now.nanoseconds) / 1e9) < failure.usableUntil { return .found(failure) }
        return .nothing
    }

    private mutating func acquire() -> RefreshFlight.Grant {
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
        leaseUntil = now + RefreshFlight.leaseDuration
        return .held(new)
    }

    private mutating func publish(_ record: RefreshRecord, _ held: Lease) -> RefreshFlight.Publishing {
        guard isStoreUp else { return .away }
        guard lease == held, now < leaseUntil else { return .lost }
        guard record.isRenewed else {
            failure = record
            return .done
        }
        if let result, result != record { complaints.append("a result was overwritten") }
        result = record
        isSpentKnown = true
        return .done
    }

    private func record(_ number: Int) -> RefreshRecord {
        RefreshRecord(
            content: .renewed(accessToken: Array("new \(number)".utf8), cookies: []),
            presented: nil,
            madeAt: 0,
            usableUntil: 1e9
        )
    }

    // MARK: The provider

    /// The provider has it from the first moment on; the answer takes its time.
    private mutating func beginCall(_ place: Int) {
        calls += 1
        instances[place].isCalling = true
        instances[place].wasAloneAtCall = instances[place].flight?.isAlone ?? false
        if instances[place].wasAloneAtCall {
            mayPresentAgain = true
            if withoutStore == .refuse { complaints.append("presented without the store") }
        }
        if instances[place].wasAloneAtCall, instances[place].storeAnswered {
            complaints.append("alone, though the store had answered")
        }
        if let flight = instances[place].flight, !flight.isAlone, lease != flight.lease || now >= leaseUntil {
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

    private mutating func endCall(_ place: Int) -> RefreshCallResult {
        instances[place].isCalling = false
        guard let number = instances[place].received else { return .failed(.providerFailed) }
        if number > 1 { return .refused }
        return .tokens(ReceivedTokens(accessToken: Array("new \(number)".utf8), refreshToken: nil, cookies: []))
    }

    // MARK: The end

    private mutating func finish(_ place: Int, _ ending: RefreshFlight.Ending) {
        let held = instances[place].flight?.lease
        let askers = instances[place].askers
        instances[place].flight = nil
        instances[place].reply = nil
        instances[place].askers = 0
        if instances[place].isCalling { mayPresentAgain = true }
        instances[place].isCalling = false
        if case .record(let record) = ending.content, record.isRenewed { instances[place].known = record }
        var isHandedOn = false
        if ending.isUnpublished, case .record(let record) = ending.content, record.isRenewed {
            accidents.insert(.resultUnstored)
            instances[place].unstored = (record, ending.lease)
            isHandedOn = true
            if held == nil { mayPresentAgain = true }
        }
        if !isHandedOn, isStoreUp, let held, lease == held { lease = nil }
        answer(place, askers, ending.content)
        guard ending.isOwn, !ending.isUnpublished else { return }
        if case .record(let record) = ending.content, record != result, record != failure, !isRevoked {
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
                tell(other) { flight, now in flight.announced(at: now) }
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
        tell(place) { flight, now in flight.stop(at: now) }
        instances[place].isStopping = true
    }

    mutating func answer(_ place: Int, _ count: Int, _ content: RefreshFlight.Ending.Content) {
        answered += count
        switch content {
        case .record(let record) where record.isRenewed:
            renewedAnswers += count
            if instances[place].knowsOfRevocation { complaints.append("a revoked session got new tokens") }
        case .record, .trouble:
            if instances[place].received == 1, !instances[place].knowsOfRevocation, result == nil, failure == nil {
                complaints.append("an instance lost what it was given")
            }
        case .revoked:
            if !instances[place].knowsOfRevocation { complaints.append("nobody had revoked the session") }
        }
    }
}
