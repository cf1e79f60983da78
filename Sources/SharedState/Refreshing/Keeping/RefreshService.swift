public import Logging
public import Store
public import Tenants
import Time
public import Verification

/// Gets new tokens for sessions: one call to the provider a session, however many requests of however many instances
/// want them.
///
/// One ``RefreshFlight`` a session decides the next step; the service performs it and answers the waiting requests.
public actor RefreshService: FleetFlightRunner {
    /// What the rest of the gateway does for it.
    public struct Helpers: Sendable {
        /// Verifies an access token of the tenant, expiry included.
        var verify: @Sendable (_ tenant: TenantIndex, _ token: [UInt8]) async -> Result<Principal, VerificationFailure>
        /// Whether the token, its session, its subject or the whole tenant is revoked, as far as this instance knows.
        var isRevoked: @Sendable (_ tenant: TenantIndex, _ principal: Principal) async -> Bool
        /// The same for many tokens at once.
        var areRevoked: @Sendable (_ tenant: TenantIndex, _ marks: [RevocationMarks]) async -> [Bool]
        /// Revokes the token on all instances, and its session if `wholeSession`; the reason is for operators and
        /// others.
        var endSession: EndSession

        public typealias EndSession =
            @Sendable (_ tenant: TenantIndex, _ principal: Principal, _ wholeSession: Bool, _ reason: String) async ->
            Void

        public init(
            verify:
                @escaping @Sendable (_ tenant: TenantIndex, _ token: [UInt8]) async -> Result<
                    Principal, VerificationFailure
                >,
            isRevoked: @escaping @Sendable (_ tenant: TenantIndex, _ principal: Principal) async -> Bool,
            areRevoked: @escaping @Sendable (_ tenant: TenantIndex, _ marks: [RevocationMarks]) async -> [Bool],
            endSession: @escaping EndSession
        ) {
            self.verify = verify
            self.isRevoked = isRevoked
            self.areRevoked = areRevoked
            self.endSession = endSession
        }
    }

    /// What a waiting request gets.
    enum FlightResult: Sendable {
        case outcome(RefreshOutcome)
        /// The flight's result is for other requests; a new flight may have one for this.
        case retry
    }

    /// A request that waits for ``resume(_:with:)``, but not beyond its deadline.
    private struct Waiter {
        let continuation: CheckedContinuation<FlightResult, Never>
        let timer: Task<Void, Never>
    }

    /// A flight with the data of its calls.
    struct Entry: FleetFlightEntry {
        var run: FleetFlightRun<RefreshRecord, RefreshFailure>
        /// The request that started it.
        let lead: RefreshRequest
        let leadID: UInt64
        let keys: RefreshKeys
        /// To check whether the session is revoked.
        let marks: RevocationMarks
        let startedAt: MonotonicTime
        /// The requests that wait for it.
        var requests: [UInt64: RefreshRequest]
        /// The verified new access token's.
        var principal: Principal?
        /// The presented refresh token, from the vault or the cookie.
        var refreshToken: [UInt8]?
        /// Of the presented token, if it came from the vault: ``RefreshVault/Reading``.
        var origin: String?
        var generation = 0.0
        /// Earlier refresh tokens whose holders get the new tokens too.
        var lineage: [RefreshRecord.Earlier] = []
        var received: ReceivedTokens?
        /// The SHA-256 of a refresh token that the provider has replaced.
        var spent: [UInt8]?
        var timer: Task<Void, Never>?
    }

    /// Flights of one tenant at once. Nearly all of them wait.
    static let mostFlights = 20_000
    /// Calls at once to one tenant's provider.
    public static let callsAtOnce = 32
    /// Flights that one request waits for, if their results are for other requests.
    private static let mostRounds = 3

    private(set) var tenants: [RefreshTenant?]
    /// Of those with a refresh, by their names.
    private(set) var indices: [String: TenantIndex]
    nonisolated let shared: SharedRefreshes
    let vault: RefreshVault?
    private(set) var caller: any RefreshCalling
    private(set) var helpers: Helpers
    let clock: FleetClock
    nonisolated var store: any Store { shared.store }
    let logger: Logger
    var flights: [RefreshSession: Entry] = [:]
    /// By tenant: a busy tenant evicts nothing of another's.
    var recent: [RecentRefreshes]
    private var callSlots: [TenantIndex: CallSlots] = [:]
    var backlog = RefreshBacklog()
    var backlogTask: Task<Void, Never>?
    /// Tenants whose revocations have changed since their sessions were checked.
    var revocationsWanted: Set<TenantIndex> = []
    var isCancellingRevoked = false
    private var waiters: [UInt64: Waiter] = [:]
    private var lastWaiter: UInt64 = 0
    /// Tasks that outlive their flights.
    var backgroundTasks = 0
    var isStopping = false
    /// Callers of ``stop()``.
    var stopping: [CheckedContinuation<Void, Never>] = []
    var lastTurn: UInt64 = 0
    private let callsAtOnce: Int
    private var flightCounts: [TenantIndex: Int] = [:]
    /// For metrics: by tenant and ``RefreshLabel``.
    public private(set) var counts: [TenantIndex: [String: UInt64]] = [:]

    /// - Parameters:
    ///   - tenants: By tenant index; nil for those without a refresh.
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
        indices = Self.indices(tenants)
        recent = Array(repeating: RecentRefreshes(), count: tenants.count)
        shared = SharedRefreshes(store: store, seal: RefreshSeal(sealer: sealer))
        vault = sealer.map { RefreshVault(store: store, sealer: $0) }
        self.caller = caller
        self.helpers = helpers
        self.logger = logger
        self.clock = clock
        self.callsAtOnce = callsAtOnce
    }

    /// Replaces the tenants' rules. A tenant without new ones keeps its old ones, for sessions that are being refreshed.
    ///
    /// - Parameter tenants: By tenant index.
    public func adopt(_ tenants: [RefreshTenant?], _ caller: any RefreshCalling, _ helpers: Helpers) {
        let old = self.tenants
        self.tenants = tenants.enumerated().map { index, tenant in tenant ?? (index < old.count ? old[index] : nil) }
        indices = Self.indices(self.tenants)
        while recent.count < tenants.count { recent.append(RecentRefreshes()) }
        self.caller = caller
        self.helpers = helpers
    }

    private static func indices(_ tenants: [RefreshTenant?]) -> [String: TenantIndex] {
        let named = tenants.tenantIndices.compactMap { index in tenants[index].map { ($0.name, index) } }
        return Dictionary(named) { first, _ in first }
    }

    /// Gets new tokens for a request's session. Returns by the request's deadline; the refresh itself goes on.
    public func refresh(_ request: RefreshRequest) async -> RefreshOutcome {
        guard request.tenant.value < tenants.count, let tenant = tenants[request.tenant] else {
            return .unavailable(.noRefreshToken)
        }
        if await helpers.isRevoked(request.tenant, request.principal) {
            return counted(.refused(.revoked), request.tenant)
        }
        for _ in 0..<Self.mostRounds {
            switch await result(for: request, tenant) {
            case .outcome(let outcome): return counted(outcome, request.tenant)
            case .retry: continue
            }
        }
        return counted(.unavailable(.late), request.tenant)
    }

    private func result(for request: RefreshRequest, _ tenant: RefreshTenant) async -> FlightResult {
        let session = RefreshSession(tenant: request.tenant, name: request.session)
        let now = clock.monotonic()
        let known = recent[request.tenant].lookUp(session, request, tenant, at: now, unix: clock.unix())
        if let known { return await result(for: request, session, from: known) }
        guard now < request.deadline else { return .outcome(.unavailable(.late)) }
        if flights[session] == nil, let failure = obstacle(request, tenant) { return .outcome(.unavailable(failure)) }
        return await wait(for: session, until: request.deadline) { id in
            if flights[session] != nil {
                flights[session]?.requests[id] = request
            } else {
                beginFlight(request, id, session, tenant)
            }
        }
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

    private func beginFlight(
        _ request: RefreshRequest,
        _ id: UInt64,
        _ session: RefreshSession,
        _ tenant: RefreshTenant
    ) {
        let now = clock.monotonic()
        let keys = RefreshKeys(tenant: tenant.name, session.name)
        let run = FleetFlightRun<RefreshRecord, RefreshFailure>(
            .refreshing(tenant.withoutStore),
            leaseKey: keys.lease,
            at: now
        )
        var entry = Entry(
            run: run,
            lead: request,
            leadID: id,
            keys: keys,
            marks: tenant.marks(request.principal),
            startedAt: now,
            requests: [id: request]
        )
        entry.timer = timer(until: run.flight.endsAt) { await $0.timeIsUp(session, leadID: id) }
        flights[session] = entry
        flightCounts[session.tenant, default: 0] += 1
        advance(session) { $0.lookUp(at: $1) }
    }

    private func timeIsUp(_ session: RefreshSession, leadID: UInt64) {
        if flights[session]?.leadID == leadID { advance(session) { $0.timeIsUp(at: $1) } }
    }

    /// Later requests are answered from memory, or begin another flight.
    func removeFlight(_ session: RefreshSession) -> Entry? {
        guard let entry = flights.removeValue(forKey: session) else { return nil }
        flightCounts[session.tenant, default: 0] -= 1
        entry.run.cancelTasks()
        entry.timer?.cancel()
        releaseCallSlot(session)
        return entry
    }

    // MARK: Waiting

    /// Waits until ``resume(_:with:)``, but not beyond the deadline.
    ///
    /// - Parameter begin: Given the identifier to resume by.
    func wait(
        for session: RefreshSession,
        until deadline: MonotonicTime,
        begin: (UInt64) -> Void
    ) async -> FlightResult {
        lastWaiter += 1
        let id = lastWaiter
        let timer = timer(until: deadline) { await $0.deadlinePassed(id, session) }
        return await withCheckedContinuation { continuation in
            waiters[id] = Waiter(continuation: continuation, timer: timer)
            begin(id)
        }
    }

    private func deadlinePassed(_ id: UInt64, _ session: RefreshSession) {
        flights[session]?.requests[id] = nil
        resume(id, with: .outcome(.unavailable(.late)))
    }

    func resume(_ id: UInt64, with result: FlightResult) {
        guard let waiter = waiters.removeValue(forKey: id) else { return }
        waiter.timer.cancel()
        waiter.continuation.resume(returning: result)
    }

    func timer(
        until time: MonotonicTime,
        _ fire: @escaping @Sendable (RefreshService) async -> Void
    ) -> Task<Void, Never> {
        Task { [weak self, clock] in
            // A sleep may end early: it counts other time while the machine is suspended.
            repeat { await clock.sleep(time) } while !Task.isCancelled && clock.monotonic() < time
            if !Task.isCancelled, let self { await fire(self) }
        }
    }

    // MARK: Calls at once

    func requestCallSlot(_ session: RefreshSession) -> Bool {
        callSlots[session.tenant, default: CallSlots(most: callsAtOnce)].ask(session)
    }

    func releaseCallSlot(_ session: RefreshSession) {
        guard let next = callSlots[session.tenant]?.leave(session) else { return }
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
