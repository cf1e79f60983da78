import Logging
import Store
import Time
import Verification

/// What a flight's ending means for the requests that wait for it.
extension RefreshService {
    func finish(_ session: RefreshSession, _ ending: RefreshFlight.Ending) {
        guard let entry = removeFlight(session) else { return }
        remember(ending, entry, session)
        log(ending, entry)
        let isHandedOn = ending.isUnpublished && postpone(ending, entry, session)
        let lease = isHandedOn ? nil : entry.run.flight.lease
        let event = event(ending)
        // No request waits for the release of the lease.
        runInBackground { [shared] _ in await shared.finish(lease, entry.keys, event: event) }
        runInBackground { service in
            await service.settle(entry, ending, session)
            await service.resumeRequests(entry, ending, session)
        }
    }

    /// The event to announce; nil: there is none, or other instances have it from the store.
    private func event(_ ending: RefreshFlight.Ending) -> String? {
        guard ending.isOwn, !ending.isUnpublished, case .value(let record) = ending.content else { return nil }
        return record.event
    }

    private func remember(_ ending: RefreshFlight.Ending, _ entry: Entry, _ session: RefreshSession) {
        guard case .value(let record) = ending.content else { return }
        let now = clock.monotonic()
        let left = nanoseconds(until: record.usableUntil)
        guard record.isRenewed else {
            let failure = RecentRefreshes.Failure(record: record, endedSession: false)
            recent[session.tenant].remember(failure, of: session, for: left, at: now)
            return
        }
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
    }

    /// A result with another refresh token shows that the previous one is used up.
    private func spendCookie(_ record: RefreshRecord, _ entry: Entry, _ session: RefreshSession) {
        guard case .renewed(_, let cookies) = record.content, let old = entry.lead.refreshToken,
            case .cookie(let name)? = tenants[entry.lead.tenant]?.source,
            let new = cookies.first(where: { $0.name == name }), new.value != old
        else { return }
        spend(RefreshRecord.digest(old), session)
    }

    // MARK: Requests

    private func resumeRequests(_ entry: Entry, _ ending: RefreshFlight.Ending, _ session: RefreshSession) async {
        // Nearly all have the same token, whose revocation is checked once.
        var revocations: [[UInt8]: Bool] = [:]
        for (id, request) in entry.requests.sorted(by: { $0.key < $1.key }) {
            var result = result(for: request, entry, ending, isFirst: id == entry.leadID)
            if case .outcome(.renewed) = result {
                let known = revocations[request.accessToken]
                let isRevoked =
                    if let known { known } else { await helpers.isRevoked(session.tenant, request.principal) }
                revocations[request.accessToken] = isRevoked
                if isRevoked { result = .outcome(.refused(.revoked)) }
            }
            resume(id, with: result)
        }
    }

    private func result(
        for request: RefreshRequest,
        _ entry: Entry,
        _ ending: RefreshFlight.Ending,
        isFirst: Bool
    ) -> FlightResult {
        let isLead = request.secret == entry.lead.secret && request.accessToken == entry.lead.accessToken
        switch ending.content {
        case .cancelled: return isLead ? .outcome(.refused(.revoked)) : .retry
        case .obstacle(let reason): return isLead ? .outcome(.unavailable(reason)) : .retry
        case .value(let record):
            switch record.content {
            case .renewed(let token, _):
                // The request has the new token already.
                guard token != request.accessToken else { return .retry }
                guard let principal = entry.principal, let tenant = tenants[request.tenant] else {
                    return .outcome(.unavailable(.badToken))
                }
                guard isLead || tenant.isFor(request, record, principal, at: clock.unix()) else { return .retry }
                return .outcome(renewed(record, principal, isShared: !(ending.isOwn && isFirst)))
            case .refused(let reason): return concerns(record, request) ? .outcome(.refused(reason)) : .retry
            case .unavailable(let reason): return concerns(record, request) ? .outcome(.unavailable(reason)) : .retry
            }
        }
    }

    func concerns(_ record: RefreshRecord, _ request: RefreshRequest) -> Bool {
        guard let presented = record.presented, let tenant = tenants[request.tenant] else { return true }
        return tenant.presented(request) == presented
    }

    private func renewed(_ record: RefreshRecord, _ principal: Principal, isShared: Bool) -> RefreshOutcome {
        guard case .renewed(let token, let cookies) = record.content else { return .unavailable(.badToken) }
        let renewal = Renewal(
            accessToken: token,
            principal: principal,
            cookies: cookies,
            usableUntil: clock.monotonic() + nanoseconds(until: record.usableUntil)
        )
        return .renewed(renewal, isShared: isShared)
    }

    /// The result that this process remembers.
    func result(
        for request: RefreshRequest,
        _ session: RefreshSession,
        from known: RecentRefreshes.Known
    ) async -> FlightResult {
        switch known {
        case .justRefreshed: return .outcome(.unavailable(.justRefreshed))
        case .result(let result): return .outcome(renewed(result.record, result.principal, isShared: true))
        case .failure(let failure):
            switch failure.record.content {
            case .refused(let reason):
                if request.trigger != .ahead, !failure.endedSession { await endSessionInTime(request, session) }
                return .outcome(.refused(reason))
            case .unavailable(let reason): return .outcome(.unavailable(reason))
            case .renewed: return .retry
            }
        }
    }

    private func nanoseconds(until unix: UnixTime) -> UInt64 {
        UInt64(max(0, min(unix - clock.unix(), 1e9)) * 1_000_000_000)
    }

    // MARK: Log

    private func log(_ ending: RefreshFlight.Ending, _ entry: Entry) {
        let (outcome, reason) = outcomeAndReason(ending)
        var metadata: Logger.Metadata = [
            "tenant": "\(tenants[entry.lead.tenant]?.name ?? "")",
            "outcome": "\(outcome)",
            "tries": "\(entry.run.flight.calls)",
            "duration_ms": "\((clock.monotonic() - entry.startedAt) / 1_000_000)",
        ]
        if let reason { metadata["reason"] = "\(reason)" }
        if ending.isUnpublished { metadata["stored"] = "no" }
        logger.log(level: reason == nil ? .debug : .notice, "refresh", metadata: metadata)
    }

    private func outcomeAndReason(_ ending: RefreshFlight.Ending) -> (String, String?) {
        switch ending.content {
        case .cancelled: return ("refused", RefreshFailure.revoked.rawValue)
        case .obstacle(let reason): return ("unavailable", reason.rawValue)
        case .value(let record):
            switch record.content {
            case .renewed: return (ending.isOwn ? "renewed" : "shared", nil)
            case .refused(let reason): return ("refused", reason.rawValue)
            case .unavailable(let reason): return ("unavailable", reason.rawValue)
            }
        }
    }
}
