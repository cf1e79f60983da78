import Store
import Tenants
import Time
import Verification

/// The end of a session, and of the process.
extension RefreshService {
    /// Ends or cleans up the session as the flight's ending demands, before its requests are answered.
    func settle(_ entry: Entry, _ ending: RefreshFlight.Ending, _ session: RefreshSession) async {
        switch ending.content {
        case .obstacle: break
        case .cancelled:
            let principal = entry.received == nil ? nil : entry.principal
            runInBackground { await $0.remove(entry.keys, session, principal: principal) }
        case .value(let record):
            if record.isRefused {
                // A refresh ahead of time leaves the old token valid until it expires.
                let request = entry.requests.values.first { $0.trigger != .ahead && concerns(record, $0) }
                if let request { await endSession(request, session) }
            } else if record.isRenewed, await isRevoked(entry.marks, session.tenant) {
                dropResults([session])
            }
        }
    }

    func isRevoked(_ marks: RevocationMarks, _ tenant: TenantIndex) async -> Bool {
        await helpers.areRevoked(tenant, [marks]).first ?? false
    }

    /// Revokes what a refused refresh has ended.
    ///
    /// Where a cookie is required, the access token alone does not prove the session: a client with a copy of it and
    /// an invented cookie is refused, which must neither end the owner's session nor keep the owner from refreshing it
    /// once the token has expired. A token that the backend has answered with 401 is revoked, without its session.
    func endSession(_ request: RefreshRequest, _ session: RefreshSession) async {
        recent[session.tenant].failures.update(session) { $0.endedSession = true }
        let isProven = if case .cookie? = tenants[session.tenant]?.source { false } else { true }
        if !isProven, request.trigger != .unauthorized { return }
        await helpers.endSession(session.tenant, request.principal, isProven, "its refresh was refused")
    }

    /// Like ``endSession(_:_:)``, but the request does not wait beyond its deadline.
    func endSessionInTime(_ request: RefreshRequest, _ session: RefreshSession) async {
        _ = await wait(for: session, until: request.deadline) { id in
            runInBackground { service in
                await service.endSession(request, session)
                await service.resume(id, with: .retry)
            }
        }
    }

    /// Removes the results of sessions that were ended.
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
        runInBackground { [dropped] service in
            for (keys, session, principal) in dropped { await service.remove(keys, session, principal: principal) }
        }
    }

    /// Removes an ended session's entries from the store.
    ///
    /// - Parameter principal: The new access token's, which is revoked; nil if there is none.
    func remove(_ keys: RefreshKeys, _ session: RefreshSession, principal: Principal?) async {
        guard let tenant = tenants[session.tenant] else { return }
        if let entry = backlog.remove(keys) { release(entry) }
        if let principal {
            // The old token's revocation may include the new one.
            if await !helpers.isRevoked(session.tenant, principal) {
                await helpers.endSession(session.tenant, principal, true, "its session had ended")
            }
            try? await shared.store.remove(keys.result)
        }
        guard tenant.source == .vault else { return }
        try? await vault?.remove(keys)
        guard let principal else { return }
        let newKeys = RefreshKeys(tenant: tenant.name, SessionName(principal))
        if newKeys.vault != keys.vault { try? await vault?.remove(newKeys) }
    }

    // MARK: The process's end

    /// Runs work that only ``stop()`` waits for.
    func runInBackground(_ work: @escaping @Sendable (RefreshService) async -> Void) {
        backgroundTasks += 1
        Task {
            await work(self)
            backgroundTasks -= 1
            stopIfIdle()
        }
    }

    /// Nanoseconds for verifying and storing the tokens of a call that ends at the last moment.
    private static let timeToStore: UInt64 = 3_000_000_000

    /// Begins no new calls, and waits for calls under way and unstored results, but no longer than a call takes. Then
    /// ends the rest.
    public func stop() async {
        isStopping = true
        for session in flights.keys { advance(session) { $0.stop(at: $1) } }
        let longest = FleetFlightRules.refreshing(.refuse).callDuration + Self.timeToStore
        let timer = timer(until: clock.monotonic() + longest) { await $0.stopWaiting() }
        await withCheckedContinuation { continuation in
            stopping.append(continuation)
            stopIfIdle()
        }
        timer.cancel()
        endAll()
    }

    func stopIfIdle() {
        if flights.isEmpty, backgroundTasks == 0, backlog.isEmpty { stopWaiting() }
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
            release(entry)
        }
    }
}
