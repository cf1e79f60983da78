import Store
import TestSupport
import Time

@testable import SharedState

/// One key in a world where every reply takes its own time. The provider answers a call as it does where refresh tokens
/// rotate: it gives a value once, and refuses everything when it is asked again for it.
struct FleetFlightWorld {
    typealias Flight = FleetSingleFlight<Value, RefreshFailure>

    enum Value: Sendable, Equatable {
        case got(Int)
        case refused
        case failure(until: MonotonicTime)

        var isGot: Bool { if case .got = self { true } else { false } }
    }

    enum Accident: CaseIterable {
        case storeAway, storeEmptied, holderDied, leaseLost, wordLost, revoked, callFailed, resultUnstored, stopped
    }

    /// A reply on its way to an instance.
    enum Reply {
        case lookedUp, granted, acquired, pauseEnded, presented, called, published
    }

    struct Instance {
        var flight: Flight?
        var reply: Reply?
        /// Not before this does the reply come.
        var due = MonotonicTime.distantPast
        var step = Flight.Step.none
        var askers = 0
        var isDead = false
        var knowsOfRevocation = false
        /// What it remembers, so that who asks again begins no new flight.
        var known: Value?
        /// The call that the provider has and has not answered, and whether the lease was held when it was made.
        var isCalling = false
        var calledWithoutStore = false
        var received: Int?
        /// What the store has still to be told, with the lease that goes with it.
        var unstored: (record: Value, lease: Lease?)?
        /// Whether the store gave the last answer that it was asked for.
        var storeAnswered = true
        var isStopping = false
    }

    var random: SplitMix64
    let hasAccidents: Bool
    let rules: FleetFlightRules
    var now: MonotonicTime = 1_000_000_000
    var instances: [Instance]
    var complaints: [String] = []
    var accidents: Set<Accident> = []
    var calls = 0
    var asked = 0
    var answered = 0
    var renewedAnswers = 0
    // The store.
    var isStoreUp = true
    var storeDownSince = MonotonicTime.distantPast
    var result: Value?
    var failure: Value?
    var isSpentKnown = false
    var lease: Lease?
    var leaseUntil: MonotonicTime = 0
    var leases: UInt64 = 0
    /// Whether the store has forgotten a lease before its time.
    var leaseVanished = false
    // The provider.
    var rotations = 0
    var isEnded = false
    /// Whether a used token may have to be presented again, for nobody could know that it was used: its caller died,
    /// or had to go alone, or lost the lease while it called.
    var mayPresentAgain = false

    init(seed: UInt64, accidents: Bool = true) {
        var random = SplitMix64(seed: seed)
        if accidents, random.oneIn(3) {
            rules = .fetching(random.oneIn(2) ? .routine : .unknownKey)
        } else {
            rules = .refreshing(random.oneIn(2) ? .refuse : .alone)
        }
        hasAccidents = accidents
        instances = Array(repeating: Instance(), count: 1 + random.below(4))
        self.random = random
    }

    mutating func run() {
        for _ in 0..<(20 + random.below(120)) {
            happen()
            check()
        }
        // Everything calms down: the store is back, and time passes until nobody waits any more.
        isStoreUp = true
        var rounds = 0
        while instances.contains(where: { $0.flight != nil || $0.unstored != nil }), rounds < 2000 {
            rounds += 1
            for place in instances.indices { reply(to: place) }
            for place in instances.indices { store(place) }
            pass(100_000_000)
            check()
        }
        if instances.contains(where: { $0.unstored != nil }) { complaints.append("a result was never stored") }
        if answered != asked { complaints.append("\(asked - answered) of \(asked) were not answered") }
    }

    private mutating func happen() {
        let place = random.below(instances.count)
        switch random.below(hasAccidents ? 44 : 20) {
        case 0...4: ask(place)
        case 5...14: reply(to: place)
        case 15...18: pass(UInt64(random.below(400)) * 1_000_000)
        case 19: renew(place)
        case 20...27: reply(to: place)
        case 28...29: pass(UInt64(random.below(3000)) * 1_000_000)
        case 30...33: renew(place)
        case 34: setStore(random.oneIn(2))
        case 35: if random.oneIn(4) { die(place) }
        case 36:
            if random.oneIn(3) {
                leaseVanished = true
                endLease()
                if random.oneIn(3) { emptyStore() }
            }
        case 37: if random.oneIn(6) { revoke() }
        case 38...40: store(place)
        case 41: if random.oneIn(6) { stop(place) }
        default: ask(place)
        }
    }

    // MARK: What happens

    private mutating func ask(_ place: Int) {
        guard !instances[place].isDead, !instances[place].isStopping else { return }
        asked += 1
        if instances[place].knowsOfRevocation { return answer(place, 1, .cancelled) }
        if let known = instances[place].known { return answer(place, 1, .value(known)) }
        instances[place].askers += 1
        guard instances[place].flight == nil else { return }
        instances[place].flight = Flight(at: now, rules)
        tell(place) { $0.lookUp(at: $1) }
    }

    private mutating func pass(_ time: UInt64) {
        now += time
        for place in instances.indices where !hasAccidents || !random.oneIn(5) { renew(place) }
        if now >= leaseUntil { endLease() }
        for place in instances.indices {
            if let flight = instances[place].flight, now >= flight.endsAt {
                tell(place) { $0.timeIsUp(at: $1) }
            }
        }
    }

    private mutating func renew(_ place: Int) {
        guard isStoreUp, let held = instances[place].flight?.lease ?? instances[place].unstored?.lease else { return }
        if lease == held, now < leaseUntil {
            leaseUntil = now + rules.leaseDuration
            instances[place].flight?.renewed(held, at: now)
        } else if instances[place].unstored?.lease == held {
            instances[place].unstored?.lease = nil
            mayPresentAgain = true
        } else {
            accidents.insert(.leaseLost)
            if instances[place].isCalling || instances[place].received != nil { mayPresentAgain = true }
            instances[place].flight?.leaseWasLost(held)
        }
    }

    private mutating func setStore(_ isUp: Bool) {
        if isStoreUp, !isUp { storeDownSince = now }
        isStoreUp = isUp
        if !isUp { accidents.insert(.storeAway) }
    }

    /// The lease ends before its holder has said what came of the call: the next cannot know of it.
    mutating func endLease() {
        if let lease,
            instances.contains(where: {
                $0.unstored?.lease == lease || ($0.flight?.lease == lease && ($0.isCalling || $0.received != nil))
            })
        {
            mayPresentAgain = true
        }
        lease = nil
    }

    /// Nothing says any more that there was a result.
    private mutating func emptyStore() {
        accidents.insert(.storeEmptied)
        (result, failure, isSpentKnown) = (nil, nil, false)
        mayPresentAgain = true
    }

    private mutating func die(_ place: Int) {
        guard instances[place].flight != nil || instances[place].unstored != nil,
            instances.count(where: { !$0.isDead }) > 1
        else { return }
        accidents.insert(.holderDied)
        mayPresentAgain =
            mayPresentAgain || instances[place].isCalling || instances[place].received != nil
            || instances[place].unstored != nil
        answered += instances[place].askers
        instances[place] = Instance(isDead: true)
    }

    var isRevoked: Bool { accidents.contains(.revoked) }

    private mutating func revoke() {
        accidents.insert(.revoked)
        for place in instances.indices where !instances[place].isDead {
            instances[place].knowsOfRevocation = true
            instances[place].known = nil
            if let held = instances[place].unstored?.lease, held == lease { lease = nil }
            instances[place].unstored = nil
            tell(place) { flight, _ in flight.cancelled() }
        }
        result = nil
    }

    // MARK: What must hold

    private mutating func check() {
        let callers = instances.filter { $0.isCalling && !$0.isDead && !$0.calledWithoutStore && holdsLease($0) }
        if callers.count > 1 { complaints.append("\(callers.count) holders call at once") }
        if isEnded, !mayPresentAgain { complaints.append("a used token was presented") }
    }

    private func holdsLease(_ instance: Instance) -> Bool {
        guard let held = instance.flight?.lease else { return false }
        return held == lease && now < leaseUntil
    }
}
