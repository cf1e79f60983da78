import Store
import Time
import Verification

/// Does what flights say.
extension RefreshService {
    typealias Event = (inout RefreshFlight, _ now: MonotonicTime) -> RefreshFlight.Step

    /// Tells a flight what happened and does what follows.
    ///
    /// - Parameter turn: Of the step that this came of; nil for what may come at any time.
    /// - Returns: Whether the flight is still there and on that step.
    @discardableResult
    func advance(_ session: RefreshSession, turn: UInt64? = nil, _ event: Event) -> Bool {
        guard var flight = flights[session]?.flight, turn == nil || turn == flights[session]?.turn else { return false }
        let step = event(&flight, clock.monotonic())
        flights[session]?.flight = flight
        guard step != .none else { return true }
        lastTurn += 1
        flights[session]?.turn = lastTurn
        flights[session]?.step?.cancel()
        flights[session]?.step = nil
        keepLease(session)
        if !flight.hasPlace { leavePlace(session) }
        perform(step, session)
        return true
    }

    private func perform(_ step: RefreshFlight.Step, _ session: RefreshSession) {
        switch step {
        case .none: break
        case .look: begin(session) { await $0.look($1, session, turn: $2) }
        case .enqueue: if askForPlace(session) { advance(session) { flight, now in flight.granted(at: now) } }
        case .acquire: begin(session) { await $0.acquire($1, session, turn: $2) }
        case .wait(let until), .rest(let until): rest(session, until: until)
        case .call: begin(session) { await $0.call($1, session, turn: $2) }
        case .check(let tokens): begin(session) { await $0.check(tokens, $1, session, turn: $2) }
        case .publish(let record, let lease):
            begin(session) { await $0.publish(record, lease, $1, session, turn: $2) }
        case .finish(let ending): finish(session, ending)
        }
    }

    /// A task for a step that has to wait for somebody.
    private func begin(
        _ session: RefreshSession,
        _ work: @escaping @Sendable (RefreshService, Entry, UInt64) async -> Void
    ) {
        guard let entry = flights[session] else { return }
        let turn = entry.turn
        flights[session]?.step = Task { [weak self] in
            guard let self, let entry = await self.flights[session], entry.turn == turn else { return }
            await work(self, entry, turn)
        }
    }

    private func rest(_ session: RefreshSession, until: MonotonicTime) {
        let clock = clock
        begin(session) { service, _, turn in
            await clock.sleep(until)
            await service.advance(session, turn: turn) { flight, now in flight.rested(at: now) }
        }
    }

    /// Reads what the store has, and what this process remembers.
    private func look(_ entry: Entry, _ session: RefreshSession, turn: UInt64) async {
        guard let tenant = tenants[session.tenant] else { return }
        let request = entry.lead
        var (look, source) = await shared.lookForResult(request, entry.keys, at: clock.unix())
        var principal: Principal?
        if case .found(let record) = look { (look, principal) = await use(record, entry, tenant) }
        let presented = tenant.presented(request)
        if look == .nothing {
            look = await shared.lookForObstacle(request, entry.keys, presented: presented, at: clock.unix())
            // The mark may have come between the two looks, and the tokens before it.
            if look == .spent,
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
        if look == .away, entry.flight.own == nil, let known,
            known.record.newDigest != RefreshRecord.digest(request.accessToken),
            !request.principal.isLater(than: known.principal),
            tenant.isFor(request, known.record, known.principal, at: clock.unix())
        {
            // What may not be the latest is better than nothing, and than presenting a token that was used.
            (look, principal) = (.found(known.record), known.principal)
        }
        if let presented { look = mindSpent(look, presented, session) }
        if look == .away, shared.store.isAbsent { look = .absent }
        guard flights[session]?.turn == turn else { return }
        if let principal { flights[session]?.principal = principal }
        noteLineage(source ?? known?.record, session, tenant)
        advance(session, turn: turn) { flight, now in flight.looked(look, at: now) }
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
            return (.found(failure(.unavailable(trouble), entry)), nil)
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
        guard look == .spent || (isOpen && recent.isSpent(presented, at: now)) else { return look }
        guard let successor = recent.successor(of: presented, session, at: now),
            !recent.isSpent(RefreshRecord.digest(successor), at: now)
        else { return .spent }
        return look == .spent ? .nothing : look
    }

    /// Who still has what came before the tokens that are refreshed now gets the latest, too.
    private func noteLineage(_ record: RefreshRecord?, _ session: RefreshSession, _ tenant: RefreshTenant) {
        guard let record, let lead = flights[session]?.lead, case .cookie(let name) = tenant.source,
            let refreshToken = lead.refreshToken, record.newDigest == RefreshRecord.digest(lead.accessToken),
            record.isFor(refreshToken, cookie: name, at: clock.unix())
        else { return }
        flights[session]?.lineage = record.lineage(at: clock.unix())
    }

    private func acquire(_ entry: Entry, _ session: RefreshSession, turn: UInt64) async {
        let grant = await shared.acquire(entry.keys)
        let isExpected = advance(session, turn: turn) { flight, now in flight.acquired(grant, at: now) }
        if !isExpected, case .held(let lease) = grant { await shared.finish(lease, entry.keys, event: nil) }
    }

    /// Renews the lease as long as the flight has it.
    private func keepLease(_ session: RefreshSession) {
        guard let entry = flights[session], entry.renewing == nil, let lease = entry.flight.lease else { return }
        flights[session]?.renewing = renewing(lease) { service, asked in
            if let asked {
                await service.leaseWasRenewed(lease, session, at: asked)
            } else {
                await service.leaseWasLost(lease, session)
            }
        }
    }

    /// - Parameter told: Hears when the store was asked to renew the lease and did; nil: it is lost.
    func renewing(
        _ lease: Lease,
        told: @escaping @Sendable (RefreshService, _ asked: MonotonicTime?) async -> Void
    ) -> Task<Void, Never> {
        let clock = clock
        let store = shared.store
        return Task { [weak self] in
            while !Task.isCancelled {
                await clock.sleep(clock.monotonic() + RefreshFlight.leaseDuration / 3)
                if Task.isCancelled { return }
                let asked = clock.monotonic()
                // That the store cannot be asked says nothing; it will once it can.
                guard let isHeld = try? await store.renew(lease, for: SharedRefreshes.leaseDuration) else { continue }
                guard let self, !Task.isCancelled else { return }
                await told(self, isHeld ? asked : nil)
                if !isHeld { return }
            }
        }
    }

    func leaseWasRenewed(_ lease: Lease, _ session: RefreshSession, at asked: MonotonicTime) {
        flights[session]?.flight.renewed(lease, at: asked)
    }

    func leaseWasLost(_ lease: Lease, _ session: RefreshSession) {
        guard flights[session]?.flight.lease == lease else { return }
        flights[session]?.flight.leaseWasLost(lease)
        flights[session]?.renewing?.cancel()
        flights[session]?.renewing = nil
    }

    private func publish(
        _ record: RefreshRecord,
        _ lease: Lease,
        _ entry: Entry,
        _ session: RefreshSession,
        turn: UInt64
    ) async {
        guard let tenant = tenants[session.tenant] else { return }
        let publication = publication(of: record, entry, tenant)
        let publishing = await shared.publish(publication, holding: lease, at: clock.unix())
        if publishing == .done { await published(publication) }
        if publishing == .lost { leaseWasLost(lease, session) }
        advance(session, turn: turn) { flight, now in flight.published(publishing, at: now) }
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
