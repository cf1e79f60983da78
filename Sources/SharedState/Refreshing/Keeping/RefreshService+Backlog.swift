import Logging
import Store
import Time
import Verification

/// Writes the results that the store could not take.
extension RefreshService {
    private static let retryDelay: UInt64 = 1_000_000_000

    /// Keeps a flight's result until the store takes it, and the flight's lease with it: no instance calls the provider
    /// before the result can be found.
    ///
    /// - Returns: Whether there is anything to keep.
    func postpone(_ ending: RefreshFlight.Ending, _ entry: Entry, _ session: RefreshSession) -> Bool {
        guard case .value(let record) = ending.content, let tenant = tenants[session.tenant] else { return false }
        let publication = publication(of: record, entry, tenant)
        // A failure would expire soon anyway.
        guard record.isRenewed || publication.vault != nil || publication.spent != nil else { return false }
        let principals = [publication.principal] + [publication.newPrincipal].compactMap(\.self)
        let (dropped, isFull) = backlog.add(
            publication,
            of: session,
            lease: ending.lease,
            marks: principals.map { tenant.marks($0) }
        )
        for entry in dropped { release(entry) }
        if isFull { logger.error("the store has been away too long: new tokens of a session are given up") }
        if let lease = ending.lease { keepBacklogLease(lease, publication.keys) }
        startWriting()
        return true
    }

    private func startWriting() {
        guard backlogTask == nil else { return }
        let clock = clock
        backlogTask = Task { [weak self] in
            while !Task.isCancelled {
                if await self?.writeBacklog() ?? true { return }
                await clock.sleep(clock.monotonic() + Self.retryDelay)
            }
        }
    }

    /// - Returns: Whether all is written.
    private func writeBacklog() async -> Bool {
        for entry in backlog.all where isThere(entry) {
            guard await write(entry) else { break }
        }
        guard backlog.isEmpty else { return false }
        backlogTask = nil
        stopIfIdle()
        return true
    }

    private func isThere(_ entry: RefreshBacklog.Entry) -> Bool {
        backlog.entry(entry.publication.keys)?.number == entry.number
    }

    /// - Returns: Whether the store can be reached.
    private func write(_ entry: RefreshBacklog.Entry) async -> Bool {
        let keys = entry.publication.keys
        let lease: Lease
        if let held = entry.lease {
            lease = held
        } else {
            switch await grant(of: keys.lease, for: FleetFlightRules.refreshing(.refuse).lease) {
            case .away, .absent: return false
            case .busy: return true
            case .held(let acquired): lease = acquired
            }
            guard isThere(entry) else {
                await shared.finish(lease, keys, event: nil)
                return true
            }
            backlog.update(keys) { $0.lease = lease }
            keepBacklogLease(lease, keys)
        }
        let revoked = await helpers.areRevoked(entry.session.tenant, entry.marks)
        if revoked.contains(true) {
            discard(entry, endsNewSession: revoked.first ?? false)
            return true
        }
        return await write(entry, holding: lease)
    }

    private func write(_ entry: RefreshBacklog.Entry, holding lease: Lease) async -> Bool {
        // A later refresh may have changed it.
        guard let publication = backlog.entry(entry.publication.keys)?.publication, isThere(entry) else { return true }
        if await isSuperseded(publication) {
            take(entry, event: nil)
            return true
        }
        switch await shared.publish(publication, holding: lease, at: clock.unix()) {
        case .done:
            await published(publication)
            let isRevoked = await isRevoked(entry)
            take(entry, event: isRevoked ? nil : publication.record.event)
            // The session may have been revoked during the write.
            if isRevoked { await remove(publication.keys, entry.session, principal: publication.newPrincipal) }
            return true
        case .lost:
            backlogLeaseWasLost(lease, publication.keys)
            guard entry.lease != nil, isThere(entry), let again = backlog.entry(publication.keys) else { return true }
            return await write(again)
        case .away: return false
        case .impossible:
            logger.error("new tokens of a session cannot be written")
            take(entry, event: nil)
            return true
        }
    }

    private func isRevoked(_ entry: RefreshBacklog.Entry) async -> Bool {
        await helpers.areRevoked(entry.session.tenant, entry.marks).contains(true)
    }

    /// Whether the store has a later result of the session.
    private func isSuperseded(_ publication: RefreshPublication) async -> Bool {
        guard let bytes = try? await shared.store.value(for: publication.keys.result) else { return false }
        switch shared.seal.open(bytes, for: publication.keys.result, secret: publication.secret) {
        case .record(let record): return record.madeAt > publication.record.madeAt
        case .closed(let label): return label.madeAt > publication.record.madeAt
        case .garbled: return false
        }
    }

    /// Removes an entry that is written or obsolete.
    private func take(_ entry: RefreshBacklog.Entry, event: String?) {
        guard isThere(entry), let entry = backlog.remove(entry.publication.keys) else { return }
        release(entry, event: event)
    }

    /// Removes the entry of a session that was revoked.
    ///
    /// - Parameter endsNewSession: Whether to revoke the new token as well.
    func discard(_ entry: RefreshBacklog.Entry, endsNewSession: Bool) {
        guard isThere(entry) else { return }
        take(entry, event: nil)
        let publication = entry.publication
        let principal = endsNewSession ? publication.newPrincipal : nil
        runInBackground { await $0.remove(publication.keys, entry.session, principal: principal) }
    }

    // MARK: The lease

    func release(_ entry: RefreshBacklog.Entry, event: String? = nil) {
        entry.renewing?.cancel()
        runInBackground { [shared] _ in await shared.finish(entry.lease, entry.publication.keys, event: event) }
    }

    private func keepBacklogLease(_ lease: Lease, _ keys: RefreshKeys) {
        let task = renewing(lease, .refreshing(.refuse)) { service, asked in
            if asked == nil { await service.backlogLeaseWasLost(lease, keys) }
        }
        backlog.update(keys) { $0.renewing = task }
    }

    private func backlogLeaseWasLost(_ lease: Lease, _ keys: RefreshKeys) {
        guard let entry = backlog.entry(keys), entry.lease == lease else { return }
        entry.renewing?.cancel()
        backlog.update(keys) { entry in
            entry.lease = nil
            entry.renewing = nil
        }
    }
}
