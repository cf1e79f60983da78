import IdentityProvider
public import Logging
public import SharedState
public import Store
import Synchronization
public import Tenants
import Time
import Verification

/// Exchanges the tokens of former issuers for sessions of the tenants' own (`refresh.adopt`): once per former session,
/// however many requests of however many instances have one of its tokens.
///
/// A record in the store is claimed before a session is opened: ``AdoptionRecord`` says when. Whatever fails, the
/// request goes on with the token that it has, and is tried again later.
public final class AdoptionService: Sendable {
    /// Nanoseconds for which a response waits.
    static let patience: UInt64 = 2_000_000_000
    /// Seconds before a token is tried again whose exchange failed.
    static let retryAfterFailure = 30.0
    /// Seconds after which a token is looked at again in any case.
    private static let longestRest = 3600.0

    /// What outlives a configuration.
    private final class State: Sendable {
        let memory = Mutex(AdoptionMemory())
        let counts = AdoptionCounts()
    }

    /// What came of an attempt.
    private enum Result: Sendable {
        case adopted(AdoptedSession)
        /// - lostFrom: See ``AdoptionStep/nothing(lostFrom:)``.
        case repeated(lostFrom: UnixTime?)
        case waits(seconds: Double)
        case failed(AdoptionFailure)
    }

    private let tenants: [TenantIndex: AdoptingTenant]
    private let store: any Store
    private let clock: FleetClock
    private let logger: Logger
    private let state: State

    public var counts: AdoptionCounts { state.counts }

    /// - Parameters:
    ///   - previous: Of the previous configuration, whose counts and knowledge continue.
    public init(
        _ tenants: [TenantIndex: AdoptingTenant],
        previous: AdoptionService? = nil,
        store: any Store,
        logger: Logger,
        clock: FleetClock = .system
    ) {
        self.tenants = tenants
        self.store = store
        self.logger = logger
        self.clock = clock
        state = previous?.state ?? State()
    }

    /// Exchanges a token, unless its session is adopted.
    ///
    /// - Parameter request: Of a token that is good and not revoked, as ``AdoptedTokens`` names them.
    /// - Returns: After at most two seconds.
    public func adopt(_ request: AdoptionRequest) async -> AdoptionOutcome {
        guard let tenant = tenants[request.tenant], let issuer = tenant.issuer(named: request.principal.issuer)
        else { return .nothing(retryAfter: nil) }
        let key = AdoptionMemory.Key(tenant: tenant.tenant.name, session: SessionName(request.principal))
        switch state.memory.withLock({ $0.begin(key, at: clock.monotonic()) }) {
        case .rests(let seconds, let isAdopted):
            if isAdopted { counts.add(.repeated, tenant: key.tenant, issuer: issuer) }
            return .nothing(retryAfter: seconds)
        case .begun: break
        }
        let first = FirstResult<Result>()
        let deadline = clock.monotonic() + Self.patience
        Task {
            let result = await attempt(request, tenant, key) { !first.isSettled }
            // Before anybody may ask again.
            note(result, key)
            if !first.settle(result), case .adopted(let session) = result { await giveBack(session) }
        }
        let timer = Task { [clock] in
            await clock.sleep(deadline)
            if !Task.isCancelled { _ = first.settle(.failed(.late)) }
        }
        let result = await first.value()
        timer.cancel()
        report(result, tenant: key.tenant, issuer: issuer)
        return outcome(of: result)
    }

    /// Takes back a session whose tokens were not delivered: it ends, and its former session may be adopted again.
    public func giveBack(_ session: AdoptedSession) async {
        guard let tenant = tenants[session.tenant] else { return }
        let now = clock.unix()
        await tenant.adopter.end(session.sessionID, because: "the client is gone", at: now)
        var record = session.record
        let bytes = record.json
        record.state = .opening(by: "", until: now)
        record.sessions -= 1
        let records = AdoptionRecords(store: store, tenant: tenant.tenant.name)
        _ = try? await records.replace(bytes, with: record, session.name, at: now)
        state.memory.withLock { $0.forget(AdoptionMemory.Key(tenant: tenant.tenant.name, session: session.name)) }
    }

    // MARK: What it means

    /// Ends what was begun, and remembers how long nothing is to be done.
    private func note(_ result: Result, _ key: AdoptionMemory.Key) {
        let (now, unix) = (clock.monotonic(), clock.unix())
        state.memory.withLock { memory in
            memory.end(key)
            switch result {
            case .adopted: memory.remember(key, isAdopted: true, for: AdoptionRecord.patience, at: now)
            case .repeated(let lost):
                memory.remember(key, isAdopted: true, for: lost.map { $0 - unix } ?? .infinity, at: now)
            case .waits(let seconds): memory.remember(key, isAdopted: false, for: seconds, at: now)
            case .failed(let failure) where failure.isTemporary:
                if failure != .tooManySessions { memory.rest(key.tenant, at: now) }
            case .failed: memory.remember(key, isAdopted: false, for: AdoptionRecord.refusalDuration, at: now)
            }
        }
    }

    private func outcome(of result: Result) -> AdoptionOutcome {
        switch result {
        case .adopted(let session): .adopted(session)
        case .repeated(let lost): .nothing(retryAfter: lost.map { bounded($0 - clock.unix()) })
        case .waits(let seconds): .nothing(retryAfter: bounded(seconds))
        case .failed(let failure):
            .nothing(
                retryAfter: failure.isTemporary ? Self.retryAfterFailure : AdoptionRecord.refusalDuration
            )
        }
    }

    /// Whatever a record says.
    private func bounded(_ seconds: Double) -> Double { min(max(1, seconds), Self.longestRest) }

    private func report(_ result: Result, tenant: String, issuer: String) {
        var metadata: Logger.Metadata = ["tenant": .string(tenant), "issuer": .string(issuer)]
        switch result {
        case .adopted(let session):
            counts.add(.adopted, tenant: tenant, issuer: issuer)
            metadata["session"] = .string(session.sessionID)
            logger.info("a session of a former issuer is adopted", metadata: metadata)
        case .repeated: counts.add(.repeated, tenant: tenant, issuer: issuer)
        case .waits: break
        case .failed(let failure):
            counts.add(failure.isTemporary ? .failed : .refused, tenant: tenant, issuer: issuer)
            metadata["reason"] = .string(failure.rawValue)
            logger.log(
                level: failure.isTemporary ? .warning : .notice,
                "a session of a former issuer is not adopted",
                metadata: metadata
            )
        }
    }
}

// MARK: - An attempt

extension AdoptionService {
    private func attempt(
        _ request: AdoptionRequest,
        _ tenant: AdoptingTenant,
        _ key: AdoptionMemory.Key,
        isInTime: @Sendable () -> Bool
    ) async -> Result {
        let records = AdoptionRecords(store: store, tenant: key.tenant)
        let now = clock.unix()
        do throws(AdoptionFailure) {
            let stored = try await storing { () async throws(StoreError) in try await records.read(key.session) }
            let keptUntil = AdoptionRecord.keptUntil(
                request.principal,
                sessionLifetime: tenant.sessionLifetime,
                leeway: tenant.leeway,
                at: now
            )
            let sessions: Int
            var lost: String?
            switch AdoptionRecord.step(stored?.record, accessLifetime: tenant.accessLifetime, at: now) {
            case .wait(let until): return .waits(seconds: until - now)
            case .nothing(let lostFrom):
                let end = AdoptionRecord.endOfUse(request.principal, leeway: tenant.leeway, at: now)
                if let stored { await prolong(stored, until: keptUntil, atLeast: end, key, records, at: now) }
                return .repeated(lostFrom: lostFrom)
            case .openIfUnused(let session, let count):
                guard try await tenant.adopter.isUnused(session, at: now) else {
                    if let stored { await settle(stored, key, records, at: now) }
                    return .repeated(lostFrom: nil)
                }
                (sessions, lost) = (count, session)
            case .open(let count): sessions = count
            }
            let claim = AdoptionRecord(
                state: .opening(
                    by: Base64URL.encode(RandomBytes.make(16)),
                    until: now + AdoptionRecord.claimDuration
                ),
                sessions: sessions,
                keptUntil: max(keptUntil, stored?.record.keptUntil ?? keptUntil)
            )
            let isClaimed = try await storing { () async throws(StoreError) in
                try await records.replace(stored?.bytes, with: claim, key.session, at: now)
            }
            guard isClaimed else { return .waits(seconds: AdoptionMemory.restWhenBusy) }
            let result = try await open(request, tenant, claim, key.session, records, isInTime: isInTime)
            // Somebody may have got its tokens after all: one former session is one session here.
            if let lost { await tenant.adopter.end(lost, because: "adopted again", at: clock.unix()) }
            return result
        } catch {
            return .failed(error)
        }
    }

    /// Opens the session that was claimed.
    private func open(
        _ request: AdoptionRequest,
        _ tenant: AdoptingTenant,
        _ claim: AdoptionRecord,
        _ name: SessionName,
        _ records: AdoptionRecords,
        isInTime: @Sendable () -> Bool
    ) async throws(AdoptionFailure) -> Result {
        let issued: IssuedTokens
        do throws(AdoptionFailure) {
            issued = try await tenant.adopter.open(
                FormerSession(request, tenant.tenant),
                at: clock.unix(),
                isInTime: isInTime
            )
        } catch {
            await release(claim, refused: !error.isTemporary, name, records)
            throw error
        }
        var opened = claim
        let now = clock.unix()
        opened.state = .opened(session: issued.sessionID, at: now)
        opened.sessions += 1
        let record = opened
        var failure = AdoptionFailure.late
        do throws(StoreError) {
            // Not if the claim has run out, and another instance has opened one.
            if try await records.replace(claim.json, with: record, name, at: now) {
                return .adopted(
                    AdoptedSession(
                        tokens: DeliveredTokens(
                            accessToken: Array(issued.accessToken.utf8),
                            cookies: issued.cookies(tenant.refresh.delivery)
                        ),
                        sessionID: issued.sessionID,
                        tenant: request.tenant,
                        name: name,
                        record: record
                    )
                )
            }
        } catch {
            failure = .storeUnavailable
        }
        await tenant.adopter.end(issued.sessionID, because: failure.rawValue, at: now)
        // The store may have taken it after all.
        await release(record, refused: false, name, records)
        throw failure
    }

    /// Gives a claim up.
    private func release(
        _ claim: AdoptionRecord,
        refused isRefused: Bool,
        _ name: SessionName,
        _ records: AdoptionRecords
    ) async {
        let now = clock.unix()
        var record = claim
        record.state =
            isRefused ? .refused(until: now + AdoptionRecord.refusalDuration) : .opening(by: "", until: now)
        _ = try? await records.replace(claim.json, with: record, name, at: now)
    }

    /// Remembers an adopted session for as long as a later token of the former one lasts.
    ///
    /// - Parameter end: Of the token's use.
    private func prolong(
        _ stored: AdoptionRecords.Stored,
        until keptUntil: UnixTime,
        atLeast end: UnixTime,
        _ key: AdoptionMemory.Key,
        _ records: AdoptionRecords,
        at now: UnixTime
    ) async {
        // Not with each token of a session that lives on.
        let known = stored.record.keptUntil
        guard known < min(end, keptUntil) || keptUntil - known > max(60, (keptUntil - now) / 10) else { return }
        var record = stored.record
        record.keptUntil = keptUntil
        _ = try? await records.replace(stored.bytes, with: record, key.session, at: now)
    }

    /// The new session was used, or ended: its former one is adopted for good.
    private func settle(
        _ stored: AdoptionRecords.Stored,
        _ key: AdoptionMemory.Key,
        _ records: AdoptionRecords,
        at now: UnixTime
    ) async {
        var record = stored.record
        record.sessions = AdoptionRecord.mostSessions
        _ = try? await records.replace(stored.bytes, with: record, key.session, at: now)
    }

    private func storing<Value>(
        _ work: () async throws(StoreError) -> Value
    ) async throws(AdoptionFailure) -> Value {
        do throws(StoreError) {
            return try await work()
        } catch {
            logger.debug("the record of an adoption is not at hand", metadata: ["reason": "\(error)"])
            throw .storeUnavailable
        }
    }
}
