import Logging
import Store
import Time
import Verification

/// How flights end, and what those who asked are told.
extension RefreshService {
    func finish(_ session: RefreshSession, _ ending: RefreshFlight.Ending) {
        guard let entry = land(session) else { return }
        remember(ending, entry, session)
        log(ending, entry)
        let isHandedOn = ending.isUnpublished && postpone(ending, entry, session)
        let lease = isHandedOn ? nil : entry.run.flight.lease
        let event = event(ending)
        // The lease may take its time to give back, for which nobody here has to wait.
        workBehind { [shared] _ in await shared.finish(lease, entry.keys, event: event) }
        leave(entry, ending, session)
    }

    /// What others are told; nil: they have it from the store already, or there is nothing to know.
    private func event(_ ending: RefreshFlight.Ending) -> String? {
        guard ending.isOwn, !ending.isUnpublished, case .value(let record) = ending.content else { return nil }
        return record.event
    }

    private func remember(_ ending: RefreshFlight.Ending, _ entry: Entry, _ session: RefreshSession) {
        guard case .value(let record) = ending.content else { return }
        let now = clock.monotonic()
        let left = nanoseconds(until: record.usableUntil)
        switch record.content {
        case .renewed:
            guard let principal = entry.principal else { return }
            let result = RecentRefreshes.Result(
                record: record,
                principal: principal,
                oldMarks: entry.marks,
                oldDigest: RefreshRecord.digest(entry.lead.accessToken)
            )
            recent[session.tenant].remember(result, of: session, for: left, at: now)
            spendCookie(record, entry, session)
            if ending.isOwn { count(.renewed, session.tenant) }
        case .refused, .unavailable:
            let failure = RecentRefreshes.Failure(record: record, endedSession: false)
            recent[session.tenant].remember(failure, of: session, for: left, at: now)
        }
    }

    /// A result that brings another refresh token says that the one before has been used.
    private func spendCookie(_ record: RefreshRecord, _ entry: Entry, _ session: RefreshSession) {
        guard case .renewed(_, let cookies) = record.content, let old = entry.lead.refreshToken,
            case .cookie(let name)? = tenants[entry.lead.tenant]?.source,
            let new = cookies.first(where: { $0.name == name }), new.value != old
        else { return }
        spend(RefreshRecord.digest(old), session)
    }

    // MARK: Telling who asked

    /// Answers everybody, each by his deadline: what has to be in force before may take its time.
    private func leave(_ entry: Entry, _ ending: RefreshFlight.Ending, _ session: RefreshSession) {
        guard !entry.askers.isEmpty else {
            workBehind { await $0.settle(entry, ending, session) }
            return
        }
        for (id, asker) in entry.askers { leaving[id] = asker.continuation }
        let timer = watchTime(ofLeaving: entry.askers.map { ($0.key, $0.value.request.deadline) })
        workBehind { service in
            await service.settle(entry, ending, session)
            await service.answer(entry, ending, session)
            timer.cancel()
        }
    }

    func watchTime(ofLeaving askers: [(id: UInt64, deadline: MonotonicTime)]) -> Task<Void, Never> {
        let clock = clock
        let inOrder = askers.sorted { $0.deadline < $1.deadline }
        return Task { [weak self] in
            for asker in inOrder {
                await clock.sleep(asker.deadline)
                if Task.isCancelled { return }
                await self?.answer(asker.id, .outcome(.unavailable(.late)))
            }
        }
    }

    func answer(_ id: UInt64, _ answer: Answer) {
        leaving.removeValue(forKey: id)?.resume(returning: answer)
    }

    private func answer(_ entry: Entry, _ ending: RefreshFlight.Ending, _ session: RefreshSession) async {
        // Nearly all bring the same token: it is asked for once whether it was revoked meanwhile.
        var standing: [[UInt8]: Bool] = [:]
        for (id, asker) in entry.askers.sorted(by: { $0.key < $1.key }) {
            var answer = answer(asker.request, entry, ending, isFirst: id == entry.leadAsker)
            if case .outcome(.renewed) = answer {
                let token = asker.request.accessToken
                let known = standing[token]
                let isRevoked =
                    if let known { known } else {
                        await helpers.isRevoked(session.tenant, asker.request.principal)
                    }
                standing[token] = isRevoked
                if isRevoked { answer = .outcome(.refused(.revoked)) }
            }
            self.answer(id, answer)
        }
    }

    private func answer(
        _ request: RefreshRequest,
        _ entry: Entry,
        _ ending: RefreshFlight.Ending,
        isFirst: Bool
    ) -> Answer {
        let isLead = request.secret == entry.lead.secret && request.accessToken == entry.lead.accessToken
        switch ending.content {
        case .cancelled: return isLead ? .outcome(.refused(.revoked)) : .askAgain
        case .obstacle(let trouble): return isLead ? .outcome(.unavailable(trouble)) : .askAgain
        case .value(let record):
            switch record.content {
            case .renewed(let token, _):
                // To who brings the new token, it is none.
                guard token != request.accessToken else { return .askAgain }
                guard let principal = entry.principal, let tenant = tenants[request.tenant] else {
                    return .outcome(.unavailable(.badToken))
                }
                guard isLead || tenant.isFor(request, record, principal, at: clock.unix()) else { return .askAgain }
                return .outcome(renewed(record, principal, isShared: !(ending.isOwn && isFirst)))
            case .refused(let trouble): return concerns(record, request) ? .outcome(.refused(trouble)) : .askAgain
            case .unavailable(let trouble):
                return concerns(record, request) ? .outcome(.unavailable(trouble)) : .askAgain
            }
        }
    }

    func concerns(_ record: RefreshRecord, _ request: RefreshRequest) -> Bool {
        guard let presented = record.presented, let tenant = tenants[request.tenant] else { return true }
        return tenant.presented(request) == presented
    }

    func renewed(_ record: RefreshRecord, _ principal: Principal, isShared: Bool) -> RefreshOutcome {
        guard case .renewed(let token, let cookies) = record.content else { return .unavailable(.badToken) }
        let renewal = Renewal(
            accessToken: token,
            principal: principal,
            cookies: cookies,
            usableUntil: clock.monotonic() + nanoseconds(until: record.usableUntil)
        )
        return .renewed(renewal, isShared: isShared)
    }

    /// Answers from memory.
    func answer(
        _ request: RefreshRequest,
        _ session: RefreshSession,
        with known: RecentRefreshes.Answer
    ) async -> Answer {
        switch known {
        case .justRefreshed: return .outcome(.unavailable(.justRefreshed))
        case .result(let result): return .outcome(renewed(result.record, result.principal, isShared: true))
        case .failure(let failure):
            switch failure.record.content {
            case .refused(let trouble):
                if request.trigger != .ahead, !failure.endedSession { await endSessionInTime(request, session) }
                return .outcome(.refused(trouble))
            case .unavailable(let trouble): return .outcome(.unavailable(trouble))
            case .renewed: return .askAgain
            }
        }
    }

    // MARK: Saying so

    func nanoseconds(until unix: UnixTime) -> UInt64 {
        UInt64(max(0, min(unix - clock.unix(), 1e9)) * 1_000_000_000)
    }

    private func log(_ ending: RefreshFlight.Ending, _ entry: Entry) {
        let (outcome, reason) = words(for: ending)
        var metadata: Logger.Metadata = [
            "tenant": "\(tenants[entry.lead.tenant]?.name ?? "")",
            "outcome": "\(outcome)",
            "tries": "\(entry.run.flight.calls)",
            "duration_ms": "\((clock.monotonic() - entry.startedAt) / 1_000_000)",
        ]
        if let reason { metadata["reason"] = "\(reason)" }
        if ending.isUnpublished { metadata["stored"] = "no" }
        let level: Logger.Level = outcome == "renewed" || outcome == "shared" ? .debug : .notice
        logger.log(level: level, "refresh", metadata: metadata)
    }

    private func words(for ending: RefreshFlight.Ending) -> (String, String?) {
        switch ending.content {
        case .cancelled: return ("refused", RefreshFailure.revoked.rawValue)
        case .obstacle(let trouble): return ("unavailable", trouble.rawValue)
        case .value(let record):
            switch record.content {
            case .renewed: return (ending.isOwn ? "renewed" : "shared", nil)
            case .refused(let trouble): return ("refused", trouble.rawValue)
            case .unavailable(let trouble): return ("unavailable", trouble.rawValue)
            }
        }
    }
}
