import Store
public import Tenants
import Time
public import Verification

/// The session's end, and what is done behind flights.
extension RefreshService {
    /// What an ending means for the session, before anybody hears of it.
    func settle(_ entry: Entry, _ ending: RefreshFlight.Ending, _ session: RefreshSession) async {
        switch ending.content {
        case .obstacle: break
        case .cancelled:
            let principal = entry.received == nil ? nil : entry.principal
            workBehind { await $0.remove(entry.keys, session, principal: principal) }
        case .value(let record):
            if record.isRefused {
                // The old token stays good until it expires where nobody has refused it.
                let asker = entry.askers.values.first { $0.request.trigger != .ahead && concerns(record, $0.request) }
                if let request = asker?.request { await endSession(request, session) }
            } else if record.isRenewed, await isRevoked(entry.marks, session.tenant) {
                dropResults([session])
            }
        }
    }

    public func isRevoked(_ marks: RevocationMarks, _ tenant: TenantIndex) async -> Bool {
        await helpers.areRevoked(tenant, [marks]).first ?? false
    }

    /// The access token alone does not prove the session where a cookie has to be shown, and a made-up cookie is
    /// refused: that must not end somebody else's session, nor, once the token has expired, keep its owner from
    /// refreshing it. What the backend itself has refused is over.
    func endSession(_ request: RefreshRequest, _ session: RefreshSession) async {
        recent[session.tenant].failures.update(session) { $0.endedSession = true }
        let isProven = if case .cookie? = tenants[session.tenant]?.source { false } else { true }
        if !isProven, request.trigger != .unauthorized { return }
        await helpers.endSession(session.tenant, request.principal, isProven)
    }

    /// The same, but the request does not wait beyond its deadline; the end comes all the same.
    func endSessionInTime(_ request: RefreshRequest, _ session: RefreshSession) async {
        lastAsker += 1
        let id = lastAsker
        _ = await withCheckedContinuation { continuation in
            leaving[id] = continuation
            let timer = watchTime(ofLeaving: [(id, request.deadline)])
            workBehind { service in
                await service.endSession(request, session)
                await service.answer(id, .askAgain)
                timer.cancel()
            }
        }
    }

    /// Takes results back: their sessions had been ended.
    func dropResults(_ sessions: [RefreshSession]) {
        var dropped: [(keys: RefreshKeys, session: RefreshSession, principal: Principal)] = []
        for session in sessions {
            guard let tenant = tenants[session.tenant],
                let result = recent[session.tenant].results.value(for: session, at: clock.monotonic())
            else { continue }
            recent[session.tenant].results.remove(session)
            dropped.append((RefreshKeys(tenant: tenant.name, session.name), session, result.principal))
        }
        guard !dropped.isEmpty else { return }
        workBehind { [dropped] service in
            for (keys, session, principal) in dropped { await service.remove(keys, session, principal: principal) }
        }
    }

    /// Takes from the store what a session has there that was ended.
    ///
    /// - Parameter principal: The new access token's, where there may be one.
    public func remove(_ keys: RefreshKeys, _ session: RefreshSession, principal: Principal?) async {
        guard let tenant = tenants[session.tenant] else { return }
        if let entry = backlog.remove(keys) { letGo(of: entry) }
        if let principal {
            // What revoked the old token may have revoked the new one with it.
            if await !helpers.isRevoked(session.tenant, principal) {
                await helpers.endSession(session.tenant, principal, true)
            }
            try? await shared.store.remove(keys.result)
        }
        guard tenant.source == .vault else { return }
        try? await vault?.remove(keys)
        guard let principal else { return }
        let newKeys = RefreshKeys(tenant: tenant.name, SessionName(principal))
        if newKeys.vault != keys.vault { try? await vault?.remove(newKeys) }
    }

    // MARK: Behind flights

    /// Does what nobody waits for, except the end of the process.
    func workBehind(_ work: @escaping @Sendable (RefreshService) async -> Void) {
        worksBehind += 1
        Task {
            await work(self)
            worksBehind -= 1
            lookWhetherDone()
        }
    }

    // MARK: The process's end

    /// Nanoseconds for what a call brings at the last moment to be checked and stored.
    private static let timeToStore: UInt64 = 3_000_000_000

    /// Begins nothing new, and waits for what providers have been asked for and for what the store has not taken, but
    /// no longer than a call takes. Then whatever is left ends.
    public func stop() async {
        isStopping = true
        for session in flights.keys { advance(session) { $0.stop(at: $1) } }
        let clock = clock
        let timer = Task { [weak self] in
            await clock.sleep(clock.monotonic() + FleetFlightRules.refreshing(.refuse).callDuration + Self.timeToStore)
            if !Task.isCancelled { await self?.stopWaiting() }
        }
        await withCheckedContinuation { continuation in
            stopping.append(continuation)
            lookWhetherDone()
        }
        timer.cancel()
        endAll()
    }

    func lookWhetherDone() {
        if flights.isEmpty, worksBehind == 0, backlog.isEmpty { stopWaiting() }
    }

    private func stopWaiting() {
        let waiting = stopping
        stopping = []
        for continuation in waiting { continuation.resume() }
    }

    private func endAll() {
        let lost = flights.values.count { $0.received != nil }
        if lost > 0 {
            logger.error("new tokens are lost, for the process ends", metadata: ["count": "\(lost)"])
        }
        for session in flights.keys { finish(session, RefreshFlight.Ending(content: .obstacle(.late))) }
        backlogTask?.cancel()
        backlogTask = nil
        guard !backlog.isEmpty else { return }
        logger.error("new tokens are lost, for the store did not take them", metadata: ["count": "\(backlog.count)"])
        for entry in backlog.all {
            backlog.remove(entry.publication.keys)
            letGo(of: entry)
        }
    }
}
