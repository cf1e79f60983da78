import Store
import Time
import Verification

/// What flights read from the store and write to it.
extension RefreshService {
    /// Reads the store, and what this process remembers.
    func lookUp(_ entry: Entry, _ session: RefreshSession, turn: UInt64) async -> RefreshFlight.Lookup {
        guard let tenant = tenants[session.tenant] else { return .obstacle(.noRefreshToken) }
        let request = entry.lead
        var (lookup, source) = await shared.findResult(request, entry.keys, at: clock.unix())
        var principal: Principal?
        if case .found(let record) = lookup { (lookup, principal) = await use(record, entry, tenant) }
        let presented = tenant.presented(request)
        if lookup == .nothing {
            lookup = await shared.findObstacle(request, entry.keys, presented: presented, at: clock.unix())
            // The mark, and before it the tokens, may have been written between the two lookups.
            if lookup == .obstacle(.spentToken),
                case .found(let record) = await shared.findResult(
                    request,
                    entry.keys,
                    at: clock.unix()
                ).lookup
            {
                let (found, verified) = await use(record, entry, tenant)
                if found != .nothing { (lookup, principal) = (found, verified) }
            }
        }
        let known = recent[session.tenant].results.value(for: session, at: clock.monotonic())
        if lookup == .away, entry.run.flight.own == nil, let known,
            known.record.newDigest != RefreshRecord.digest(request.accessToken),
            !request.principal.isLater(than: known.principal),
            tenant.isFor(request, known.record, known.principal, at: clock.unix())
        {
            // A result that may not be the latest is better than none, and than presenting a used token.
            (lookup, principal) = (.found(known.record), known.principal)
        }
        if let presented { lookup = avoidSpentToken(lookup, presented, session) }
        if lookup == .away, shared.store.isAbsent { lookup = .absent }
        guard isOn(turn, session) else { return lookup }
        if let principal { flights[session]?.principal = principal }
        recordLineage(source ?? known?.record, session, tenant)
        return lookup
    }

    /// Checks a result in the store for this flight. Each instance verifies it: the store is not trusted.
    private func use(
        _ record: RefreshRecord,
        _ entry: Entry,
        _ tenant: RefreshTenant
    ) async -> (RefreshFlight.Lookup, Principal?) {
        guard case .renewed(let token, _) = record.content else { return (.found(record), nil) }
        switch await accept(token, entry.lead) {
        case .success(let principal):
            let now = clock.unix()
            guard !entry.lead.principal.isLater(than: principal),
                tenant.isFor(entry.lead, record, principal, at: now)
            else { return (.nothing, nil) }
            return (.found(record), principal)
        case .failure(let reason):
            // Otherwise an old one would block refreshes for as long as it is stored.
            if abs(clock.unix() - record.madeAt) >= RefreshRecord.lifetime { return (.nothing, nil) }
            return (.failed(failure(.unavailable(reason), entry)), nil)
        }
    }

    /// A used refresh token is not presented again; its successor may be.
    private func avoidSpentToken(
        _ lookup: RefreshFlight.Lookup,
        _ presented: [UInt8],
        _ session: RefreshSession
    ) -> RefreshFlight.Lookup {
        let now = clock.monotonic()
        let recent = recent[session.tenant]
        let isOpen = lookup == .nothing || lookup == .away
        guard lookup == .obstacle(.spentToken) || (isOpen && recent.isSpent(presented, at: now)) else { return lookup }
        guard let successor = recent.successor(of: presented, session, at: now),
            !recent.isSpent(RefreshRecord.digest(successor), at: now)
        else { return .obstacle(.spentToken) }
        return lookup == .obstacle(.spentToken) ? .nothing : lookup
    }

    /// Holders of credentials before the ones that are refreshed now get the new tokens too.
    private func recordLineage(_ record: RefreshRecord?, _ session: RefreshSession, _ tenant: RefreshTenant) {
        guard let record, let lead = flights[session]?.lead, case .cookie(let name) = tenant.source,
            let refreshToken = lead.refreshToken, record.newDigest == RefreshRecord.digest(lead.accessToken),
            record.isFor(refreshToken, cookie: name, at: clock.unix())
        else { return }
        flights[session]?.lineage = record.lineage(at: clock.unix())
    }

    func publish(
        _ record: RefreshRecord,
        holding lease: Lease,
        _ entry: Entry,
        _ session: RefreshSession
    ) async -> RefreshFlight.Publishing {
        guard let tenant = tenants[session.tenant] else { return .impossible }
        let publication = publication(of: record, entry, tenant)
        let publishing = await shared.publish(publication, holding: lease, at: clock.unix())
        if publishing == .done { await published(publication) }
        return publishing
    }

    func failure(_ content: RefreshRecord.Content, _ entry: Entry) -> RefreshRecord {
        let presented = tenants[entry.lead.tenant].flatMap { $0.presented(entry.lead) }
        return RefreshRecord.failure(content, presented: presented, at: clock.unix())
    }

    /// What a record writes to the store.
    func publication(of record: RefreshRecord, _ entry: Entry, _ tenant: RefreshTenant) -> RefreshPublication {
        RefreshPublication(
            record: record,
            keys: entry.keys,
            secret: entry.lead.secret,
            vault: tenant.source == .vault ? vaultChange(record, entry, tenant) : nil,
            spent: entry.spent,
            spentLifetime: .seconds(tenant.spentLifetime),
            principal: entry.lead.principal,
            newPrincipal: record.isRenewed ? entry.principal : nil
        )
    }

    private func vaultChange(
        _ record: RefreshRecord,
        _ entry: Entry,
        _ tenant: RefreshTenant
    ) -> RefreshPublication.VaultChange? {
        var change = RefreshPublication.VaultChange(
            refreshToken: nil,
            origin: entry.origin,
            keys: entry.keys,
            principal: entry.lead.principal,
            generation: entry.generation + 1
        )
        switch record.content {
        case .refused: return change
        case .renewed:
            guard let principal = entry.principal else { return nil }
            change.refreshToken = entry.received?.refreshToken ?? entry.refreshToken
            change.keys = RefreshKeys(tenant: tenant.name, SessionName(principal))
            change.principal = principal
            return change
        case .unavailable(let reason):
            // The access token is unusable; the refresh token beside it is all that is left of the session.
            guard reason.leavesRefreshToken, let refreshToken = entry.received?.refreshToken else { return nil }
            change.refreshToken = refreshToken
            return change
        }
    }

    /// Removes the vault's token under the session's old name: requests with that name find the result.
    func published(_ publication: RefreshPublication) async {
        guard publication.record.isRenewed, let change = publication.vault, let vault else { return }
        if change.keys.vault != publication.keys.vault { try? await vault.remove(publication.keys) }
    }
}

extension RefreshFailure {
    /// Whether the refresh token beside an unusable access token is the session's.
    var leavesRefreshToken: Bool { self == .badToken || self == .sameToken }
}
