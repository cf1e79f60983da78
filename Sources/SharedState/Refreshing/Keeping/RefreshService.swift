public import Logging
public import Store
public import Tenants
import Time
public import Verification

/// Gets new tokens for sessions: each session's once, whoever asks for them here or at other instances, and however
/// many.
///
/// One ``RefreshFlight`` a session decides; this looks, calls and publishes for it, and answers who asked.
public actor RefreshService: FleetFlightRunner {
    /// What the rest of the gateway does for it.
    public struct Helpers: Sendable {
        /// Verifies an access token of the tenant, expiry included.
        var verify: @Sendable (_ tenant: TenantIndex, _ token: [UInt8]) async -> Result<Principal, VerificationFailure>
        /// Whether the token, its session, its subject or the whole tenant is revoked, as far as this instance knows.
        public var isRevoked: @Sendable (_ tenant: TenantIndex, _ principal: Principal) async -> Bool
        /// The same of many at once.
        var areRevoked: @Sendable (_ tenant: TenantIndex, _ marks: [RevocationMarks]) async -> [Bool]
        /// Revokes the token, everywhere, and its whole session if that is wanted.
        var endSession: @Sendable (_ tenant: TenantIndex, _ principal: Principal, _ wholeSession: Bool) async -> Void

        public init(
            verify:
                @escaping @Sendable (_ tenant: TenantIndex, _ token: [UInt8]) async -> Result<
                    Principal, VerificationFailure
                >,
            isRevoked: @escaping @Sendable (_ tenant: TenantIndex, _ principal: Principal) async -> Bool,
            areRevoked: @escaping @Sendable (_ tenant: TenantIndex, _ marks: [RevocationMarks]) async -> [Bool],
            endSession:
                @escaping @Sendable (_ tenant: TenantIndex, _ principal: Principal, _ wholeSession: Bool) async -> Void
        ) {
            self.verify = verify
            self.isRevoked = isRevoked
            self.areRevoked = areRevoked
            self.endSession = endSession
        }
    }

    public enum Answer: Sendable {
        case outcome(RefreshOutcome)
        /// What came of it concerns others; a new flight may do better.
        case askAgain
    }

    struct Asker {
        let request: RefreshRequest
        let continuation: CheckedContinuation<Answer, Never>
    }

    /// A flight and what it needs that is not for it to decide on.
    struct Entry: FleetFlightEntry {
        var run: FleetFlightRun<RefreshRecord, RefreshFailure>
        /// The request that it was begun for.
        let lead: RefreshRequest
        /// Who brought that.
        let leadAsker: UInt64
        let keys: RefreshKeys
        /// For the question whether the session was revoked.
        let marks: RevocationMarks
        let startedAt: MonotonicTime
        var askers: [UInt64: Asker] = [:]
        /// The new access token's, once there is one that was verified.
        var principal: Principal?
        /// What was presented, where it was read from the vault or came in a cookie.
        var refreshToken: [UInt8]?
        var origin: String?
        /// How many refreshes it is away from that.
        var generation = 0.0
        /// What stands for the new tokens beside what was presented.
        var lineage: [RefreshRecord.Earlier] = []
        var received: ReceivedTokens?
        /// The SHA-256 of a refresh token that the provider has taken another in the place of.
        var spent: [UInt8]?
        var timer: Task<Void, Never>?
        var timerEndsAt = MonotonicTime.distantFuture
    }

    /// Flights of one tenant at once, nearly all of them waiting.
    static let mostFlights = 20_000
    /// Calls at once to one tenant's provider.
    public static let callsAtOnce = 32
    /// How often a request is asked anew because what came of a flight concerned others.
    private static let mostRounds = 3

    private(set) var tenants: [RefreshTenant?]
    nonisolated let shared: SharedRefreshes
    let vault: RefreshVault?
    private(set) var caller: any RefreshCalling
    private(set) var helpers: Helpers
    let clock: FleetClock
    nonisolated var store: any Store { shared.store }
    let logger: Logger
    var flights: [RefreshSession: Entry] = [:]
    /// By tenant: what happens to one evicts nothing of another's.
    var recent: [RecentRefreshes]
    var places: [TenantIndex: CallSlots] = [:]
    var backlog = RefreshBacklog()
    var backlogTask: Task<Void, Never>?
    /// Whose sessions are to be looked through for revoked ones.
    var revocationsWanted: Set<TenantIndex> = []
    var isLookingForRevoked = false
    /// Who will be answered as soon as what their flight came to is in force, or their time is up.
    var leaving: [UInt64: CheckedContinuation<Answer, Never>] = [:]
    /// Work behind flights that are done.
    var worksBehind = 0
    var isStopping = false
    /// Who waits until everything is done.
    var stopping: [CheckedContinuation<Void, Never>] = []
    var lastTurn: UInt64 = 0
    private let callsAtOnce: Int
    private var flightCounts: [TenantIndex: Int] = [:]
    var lastAsker: UInt64 = 0
    /// For metrics: by tenant and ``RefreshLabel``.
    public private(set) var counts: [TenantIndex: [String: UInt64]] = [:]

    /// - Parameters:
    ///   - tenants: By place; nil for those without a refresh.
    ///   - sealer: Of `GATEHOUSE_KEY`; without it there is no vault.
    public init(
        tenants: [RefreshTenant?],
        store: any Store,
        sealer: Sealer?,
        caller: any RefreshCalling,
        helpers: Helpers,
        logger: Logger,
        clock: FleetClock = .system,
        callsAtOnce: Int = RefreshService.callsAtOnce
    ) {
        self.tenants = tenants
        recent = Array(repeating: RecentRefreshes(), count: tenants.count)
        shared = SharedRefreshes(store: store, seal: RefreshSeal(sealer: sealer))
        vault = sealer.map { RefreshVault(store: store, sealer: $0) }
        self.caller = caller
        self.helpers = helpers
        self.logger = logger
        self.clock = clock
        self.callsAtOnce = callsAtOnce
    }

    /// Goes by these rules from now on. A tenant that has none any more keeps its old ones, for sessions under way.
    ///
    /// - Parameter tenants: By place.
    public func adopt(_ tenants: [RefreshTenant?], _ caller: any RefreshCalling, _ helpers: Helpers) {
        let old = self.tenants
        self.tenants = tenants.enumerated().map { place, tenant in tenant ?? (place < old.count ? old[place] : nil) }
        while recent.count < tenants.count { recent.append(RecentRefreshes()) }
        self.caller = caller
        self.helpers = helpers
    }

    /// Gets new tokens for the session of a request, and answers by the request's deadline. The refresh goes on when
    /// who asked is gone.
    public func refresh(_ request: RefreshRequest) async -> RefreshOutcome {
        guard request.tenant.value < tenants.count, let tenant = tenants[request.tenant] else {
            return .unavailable(.noRefreshToken)
        }
        if await helpers.isRevoked(request.tenant, request.principal) {
            return counted(.refused(.revoked), request.tenant)
        }
        for _ in 0..<Self.mostRounds {
            switch await answer(request, tenant) {
            case .outcome(let outcome): return counted(outcome, request.tenant)
            case .askAgain: continue
            }
        }
        return counted(.unavailable(.late), request.tenant)
    }

    private func answer(_ request: RefreshRequest, _ tenant: RefreshTenant) async -> Answer {
        let session = RefreshSession(tenant: request.tenant, name: request.session)
        let now = clock.monotonic()
        let known = recent[request.tenant].answer(session, request, tenant, at: now, unix: clock.unix())
        if let known { return await answer(request, session, with: known) }
        guard now < request.deadline else { return .outcome(.unavailable(.late)) }
        if flights[session] == nil, let trouble = obstacle(request, tenant) { return .outcome(.unavailable(trouble)) }
        return await withCheckedContinuation { join(Asker(request: request, continuation: $0), session, tenant) }
    }

    /// Why there can be no flight for this request.
    private func obstacle(_ request: RefreshRequest, _ tenant: RefreshTenant) -> RefreshFailure? {
        if isStopping || flightCounts[request.tenant, default: 0] >= Self.mostFlights { return .overloaded }
        switch tenant.source {
        case .none: return nil
        case .cookie: return request.refreshToken == nil ? .noRefreshToken : nil
        case .vault: return vault == nil ? .noRefreshToken : nil
        }
    }

    private func join(_ asker: Asker, _ session: RefreshSession, _ tenant: RefreshTenant) {
        lastAsker += 1
        if flights[session] != nil {
            flights[session]?.askers[lastAsker] = asker
            watchTime(of: session, until: asker.request.deadline)
            return
        }
        let now = clock.monotonic()
        let keys = RefreshKeys(tenant: tenant.name, session.name)
        let run = FleetFlightRun<RefreshRecord, RefreshFailure>(
            .refreshing(tenant.withoutStore),
            leaseKey: keys.lease,
            at: now
        )
        var entry = Entry(
            run: run,
            lead: asker.request,
            leadAsker: lastAsker,
            keys: keys,
            marks: tenant.marks(asker.request.principal),
            startedAt: now
        )
        entry.askers[lastAsker] = asker
        flights[session] = entry
        flightCounts[session.tenant, default: 0] += 1
        watchTime(of: session, until: min(asker.request.deadline, run.flight.endsAt))
        advance(session) { $0.look(at: $1) }
    }

    /// Takes the flight out of the air: who asks from now on is answered from memory, or begins another.
    func land(_ session: RefreshSession) -> Entry? {
        guard let entry = flights.removeValue(forKey: session) else { return nil }
        flightCounts[session.tenant, default: 0] -= 1
        entry.run.cancelTasks()
        entry.timer?.cancel()
        leavePlace(session)
        return entry
    }

    // MARK: Time

    /// One timer a flight, for whoever's time is up first.
    private func watchTime(of session: RefreshSession, until next: MonotonicTime) {
        guard let entry = flights[session] else { return }
        guard next < entry.timerEndsAt else { return }
        entry.timer?.cancel()
        let clock = clock
        let started = entry.startedAt
        flights[session]?.timerEndsAt = next
        flights[session]?.timer = Task { [weak self] in
            await clock.sleep(next)
            if !Task.isCancelled { await self?.timePassed(session, started) }
        }
    }

    private func timePassed(_ session: RefreshSession, _ started: MonotonicTime) {
        guard let entry = flights[session], entry.startedAt == started else { return }
        let now = clock.monotonic()
        var next = MonotonicTime.distantFuture
        for (id, asker) in entry.askers {
            guard asker.request.deadline <= now else {
                next = min(next, asker.request.deadline)
                continue
            }
            flights[session]?.askers[id] = nil
            asker.continuation.resume(returning: .outcome(.unavailable(.late)))
        }
        flights[session]?.timerEndsAt = .distantFuture
        let endsAt = entry.run.flight.endsAt
        if now >= endsAt { advance(session) { $0.timeIsUp(at: $1) } } else { next = min(next, endsAt) }
        // What the provider was asked for is waited for after the flight's time, too; not so by those who asked.
        if next != .distantFuture { watchTime(of: session, until: next) }
    }

    // MARK: Places in line

    func askForPlace(_ session: RefreshSession) -> Bool {
        places[session.tenant, default: CallSlots(most: callsAtOnce)].ask(session)
    }

    func leavePlace(_ session: RefreshSession) {
        guard let next = places[session.tenant]?.leave(session) else { return }
        advance(next) { $0.granted(at: $1) }
    }

    // MARK: Counting

    func count(_ label: RefreshLabel, _ tenant: TenantIndex) {
        counts[tenant, default: [:]][label.rawValue, default: 0] += 1
    }

    private func counted(_ outcome: RefreshOutcome, _ tenant: TenantIndex) -> RefreshOutcome {
        switch outcome {
        case .renewed(_, let isShared): if isShared { count(.shared, tenant) }
        case .refused: count(.refused, tenant)
        case .unavailable: count(.unavailable, tenant)
        }
        return outcome
    }
}
