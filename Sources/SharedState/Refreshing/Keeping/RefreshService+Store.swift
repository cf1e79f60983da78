import Store
import Time
import Verification

/// What flights read and write.
extension RefreshService {
    /// Reads what the store has, and what this process remembers.
    func look(_ entry: Entry, _ session: RefreshSession, turn: UInt64) async -> RefreshFlight.Look {
        guard let tenant = tenants[session.tenant] else { return .obstacle(.noRefreshToken) }
        let request = entry.lead
        var (look, source) = await shared.lookForResult(request, entry.keys, at: clock.unix())
        var principal: Principal?
        if case .found(let record) = look { (look, principal) = await use(record, entry, tenant) }
        let presented = tenant.presented(request)
        if look == .nothing {
            look = await shared.lookForObstacle(request, entry.keys, presented: presented, at: clock.unix())
            // The mark may have come between the two looks, and the tokens before it.
            if look == .obstacle(.spentToken),
                case .found(let record) = await shared.lookForResult(
                    request,
                    entry.keys,
                    at: clock.unix()
                ).look
            {
                let (found, verified) = await use(record, entry, tenant)
                if found != .nothing { (look, principal) = (found, verified) }
            }
        }
        let known = recent[session.tenant].results.value(for: session, at: clock.monotonic())
        if look == .away, entry.run.flight.own == nil, let known,
            known.record.newDigest != RefreshRecord.digest(request.accessToken),
            !request.principal.isLater(than: known.principal),
            tenant.isFor(request, known.record, known.principal, at: clock.unix())
        {
            // What may not be the latest is better than nothing, and than presenting a token that was used.
            (look, principal) = (.found(known.record), known.principal)
        }
        if let presented { look = mindSpent(look, presented, session) }
        if look == .away, shared.store.isAbsent { look = .absent }
        guard isOn(turn, session) else { return look }
        if let principal { flights[session]?.principal = principal }
        noteLineage(source ?? known?.record, session, tenant)
        return look
    }

    /// What a result in the store is to this flight. Each instance verifies for itself: what is in the store may be
    /// anybody's.
    private func use(
        _ record: RefreshRecord,
        _ entry: Entry,
        _ tenant: RefreshTenant
    ) async -> (RefreshFlight.Look, Principal?) {
        guard case .renewed(let token, _) = record.content else { return (.found(record), nil) }
        switch await accept(token, entry.lead) {
        case .success(let principal):
            let now = clock.unix()
            guard !entry.lead.principal.isLater(than: principal),
                tenant.isFor(entry.lead, record, principal, at: now)
            else { return (.nothing, nil) }
            return (.found(record), principal)
        case .failure(let trouble):
            // An old one would be in the way for as long as the store has it.
            if abs(clock.unix() - record.madeAt) >= RefreshRecord.lifetime { return (.nothing, nil) }
            return (.failed(failure(.unavailable(trouble), entry)), nil)
        }
    }

    /// A refresh token that was used up is not presented again, but maybe the one that came for it.
    private func mindSpent(
        _ look: RefreshFlight.Look,
        _ presented: [UInt8],
        _ session: RefreshSession
    ) -> RefreshFlight.Look {
        let now = clock.monotonic()
        let recent = recent[session.tenant]
        let isOpen = look == .nothing || look == .away
        guard look == .obstacle(.spentToken) || (isOpen && recent.isSpent(presented, at: now)) else { return look }
        guard let successor = recent.successor(of: presented, session, at: now),
            !recent.isSpent(RefreshRecord.digest(successor), at: now)
        else { return .obstacle(.spentToken) }
        return look == .obstacle(.spentToken) ? .nothing : look
    }

    /// Who still has what came before the tokens that are refreshed now gets the latest, too.
    private func noteLineage(_ record: RefreshRecord?, _ session: RefreshSession, _ tenant: RefreshTenant) {
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

    /// What there is to write of a record.
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
        case .unavailable(let trouble):
            // The access token is of no use; the refresh token beside it is all that is left of the session.
            guard trouble.leavesRefreshToken, let refreshToken = entry.received?.refreshToken else { return nil }
            change.refreshToken = refreshToken
            return change
        }
    }

    /// The vault's token has moved with the session's name; nobody asks under the old one while the result is there.
    func published(_ publication: RefreshPublication) async {
        guard publication.record.isRenewed, let change = publication.vault, let vault else { return }
        if change.keys.vault != publication.keys.vault { try? await vault.remove(publication.keys) }
    }
}

extension RefreshFailure {
    /// Whether the refresh token that came with an access token of no use is still the session's.
    var leavesRefreshToken: Bool { self == .badToken || self == .sameToken }
}
