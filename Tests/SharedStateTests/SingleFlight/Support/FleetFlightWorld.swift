import Store
import TestSupport
import Time

@testable import SharedState

/// A model of one key's flights in several instances, where every reply takes a random time. The provider behaves as with
/// rotating refresh tokens: it gives a value once, and refuses everything after a second presentation.
struct FleetFlightWorld {
    typealias Flight = FleetSingleFlight<Value, RefreshFailure>

    enum Value: Sendable, Equatable {
        case got(Int)
        case refused
        case failure(until: MonotonicTime)

        var isGot: Bool { if case .got = self { true } else { false } }
    }

    enum Accident: CaseIterable {
        case storeAway, storeEmptied, holderDied, leaseLost, announcementLost, revoked, callFailed, resultUnstored,
            stopped
    }

    /// A reply on its way to an instance.
    enum Reply {
        case lookedUp, granted, acquired, pauseEnded, presented, called, published
    }

    struct Instance {
        var flight: Flight?
        var reply: Reply?
        /// The earliest time of the reply.
        var due = MonotonicTime.distantPast
        var step = Flight.Step.none
        var waiting = 0
        var isDead = false
        var knowsOfRevocation = false
        /// The value that it remembers: later requests begin no new flight.
        var known: Value?
        /// The call that the provider has and has not completed, and whether the lease was held when it was made.
        var isCalling = false
        var calledWithoutStore = false
        var received: Int?
        /// The value that is not in the store yet, with its lease.
        var unstored: (record: Value, lease: Lease?)?
        /// Whether the store replied to the last call.
        var storeAnswered = true
        var isStopping = false
    }

    var random: SplitMix64
    let hasAccidents: Bool
    let rules: FleetFlightRules
    var now: MonotonicTime = 1_000_000_000
    var instances: [Instance]
    var violations: [String] = []
    var accidents: Set<Accident> = []
    var calls = 0
    var asked = 0
    var completed = 0
    var renewals = 0
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
    /// Whether a used token may have to be presented again, since no instance can know that it was used: its caller died,
    /// called without the store, or lost the lease during the call.
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
        // The accidents end: the store is back, and time passes until no request waits any more.
        isStoreUp = true
        var rounds = 0
        while instances.contains(where: { $0.flight != nil || $0.unstored != nil }), rounds < 2000 {
            rounds += 1
            for index in instances.indices { reply(to: index) }
            for index in instances.indices { store(index) }
            pass(100_000_000)
            check()
        }
        if instances.contains(where: { $0.unstored != nil }) { violations.append("a result was never stored") }
        if completed != asked { violations.append("\(asked - completed) of \(asked) were not completed") }
    }

    private mutating func happen() {
        let index = random.below(instances.count)
        switch random.below(hasAccidents ? 44 : 20) {
        case 0...4: ask(index)
        case 5...14: reply(to: index)
        case 15...18: pass(UInt64(random.below(400)) * 1_000_000)
        case 19: renew(index)
        case 20...27: reply(to: index)
        case 28...29: pass(UInt64(random.below(3000)) * 1_000_000)
        case 30...33: renew(index)
        case 34: setStore(random.oneIn(2))
        case 35: if random.oneIn(4) { die(index) }
        case 36:
            if random.oneIn(3) {
                leaseVanished = true
                endLease()
                if random.oneIn(3) { emptyStore() }
            }
        case 37: if random.oneIn(6) { revoke() }
        case 38...40: store(index)
        case 41: if random.oneIn(6) { stop(index) }
        default: ask(index)
        }
    }

    // MARK: What happens

    private mutating func ask(_ index: Int) {
        guard !instances[index].isDead, !instances[index].isStopping else { return }
        asked += 1
        if instances[index].knowsOfRevocation { return complete(index, 1, .cancelled) }
        if let known = instances[index].known { return complete(index, 1, .value(known)) }
        instances[index].waiting += 1
        guard instances[index].flight == nil else { return }
        instances[index].flight = Flight(at: now, rules)
        advance(index) { $0.lookUp(at: $1) }
    }

    private mutating func pass(_ time: UInt64) {
        now += time
        for index in instances.indices where !hasAccidents || !random.oneIn(5) { renew(index) }
        if now >= leaseUntil { endLease() }
        for index in instances.indices {
            if let flight = instances[index].flight, now >= flight.endsAt {
                advance(index) { $0.timeIsUp(at: $1) }
            }
        }
    }

    private mutating func renew(_ index: Int) {
        guard isStoreUp, let held = instances[index].flight?.lease ?? instances[index].unstored?.lease else { return }
        if lease == held, now < leaseUntil {
            leaseUntil = now + rules.leaseDuration
            instances[index].flight?.renewed(held, at: now)
        } else if instances[index].unstored?.lease == held {
            instances[index].unstored?.lease = nil
            mayPresentAgain = true
        } else {
            accidents.insert(.leaseLost)
            if instances[index].isCalling || instances[index].received != nil { mayPresentAgain = true }
            instances[index].flight?.leaseWasLost(held)
        }
    }

    private mutating func setStore(_ isUp: Bool) {
        if isStoreUp, !isUp { storeDownSince = now }
        isStoreUp = isUp
        if !isUp { accidents.insert(.storeAway) }
    }

    /// The lease ends before its holder has published the value: the next holder cannot know of it.
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

    /// The store loses all its data.
    private mutating func emptyStore() {
        accidents.insert(.storeEmptied)
        (result, failure, isSpentKnown) = (nil, nil, false)
        mayPresentAgain = true
    }

    private mutating func die(_ index: Int) {
        guard instances[index].flight != nil || instances[index].unstored != nil,
            instances.count(where: { !$0.isDead }) > 1
        else { return }
        accidents.insert(.holderDied)
        mayPresentAgain =
            mayPresentAgain || instances[index].isCalling || instances[index].received != nil
            || instances[index].unstored != nil
        completed += instances[index].waiting
        instances[index] = Instance(isDead: true)
    }

    var isRevoked: Bool { accidents.contains(.revoked) }

    private mutating func revoke() {
        accidents.insert(.revoked)
        for index in instances.indices where !instances[index].isDead {
            instances[index].knowsOfRevocation = true
            instances[index].known = nil
            if let held = instances[index].unstored?.lease, held == lease { lease = nil }
            instances[index].unstored = nil
            advance(index) { flight, _ in flight.cancelled() }
        }
        result = nil
    }

    // MARK: What must hold

    private mutating func check() {
        let callers = instances.filter { $0.isCalling && !$0.isDead && !$0.calledWithoutStore && holdsLease($0) }
        if callers.count > 1 { violations.append("\(callers.count) holders call at once") }
        if isEnded, !mayPresentAgain { violations.append("a used token was presented") }
    }

    private func holdsLease(_ instance: Instance) -> Bool {
        guard let held = instance.flight?.lease else { return false }
        return held == lease && now < leaseUntil
    }
}
