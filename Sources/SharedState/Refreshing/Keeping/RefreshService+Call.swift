import Store
import Time
import Verification

/// The call to the provider, and the checks of its response.
extension RefreshService {
    private enum Presented {
        case token([UInt8], RefreshVault.Reading?)
        /// The strategy needs no refresh token.
        case none
        /// The store, which this process had given up, has answered.
        case storeIsBack
        case failure(RefreshFailure)
    }

    func call(_ entry: Entry, _ session: RefreshSession, turn: UInt64) async -> RefreshFlight.CallOutcome? {
        let request = entry.lead
        if await isRevoked(entry.marks, session.tenant) { return .cancelled }
        var credential = RefreshCredential(
            accessToken: request.accessToken,
            principal: request.principal,
            refreshToken: nil,
            host: request.host
        )
        switch await tokenToPresent(entry, session) {
        case .failure(let reason): return failed(reason, mayRetry: false, entry)
        case .storeIsBack:
            advance(session, turn: turn) { $0.storeIsBack(at: $1) }
            return nil
        case .none:
            guard await mayCall(session, turn: turn) else { return nil }
        case .token(let token, let reading):
            guard await mayCall(session, turn: turn) else { return nil }
            flights[session]?.refreshToken = token
            flights[session]?.origin = reading?.origin
            flights[session]?.generation = reading?.generation ?? 0
            credential.refreshToken = token
        }
        let result = await call(credential, entry)
        guard isOn(turn, session), let entry = flights[session] else { return nil }
        switch result {
        case .tokens(let tokens): return await check(tokens, entry, session, turn: turn)
        case .refused: return .value(failure(.refused(.refused), entry))
        case .failed(let reason): return failed(reason, mayRetry: result.mayRetry, entry)
        }
    }

    private func failed(_ reason: RefreshFailure, mayRetry: Bool, _ entry: Entry) -> RefreshFlight.CallOutcome {
        .failed(failure(.unavailable(reason), entry), mayRetry: mayRetry)
    }

    private func call(_ credential: RefreshCredential, _ entry: Entry) async -> RefreshCallResult {
        if entry.run.flight.calls == 1 { count(.started, entry.lead.tenant) }
        return await caller.call(credential, tenant: entry.lead.tenant)
    }

    private func tokenToPresent(_ entry: Entry, _ session: RefreshSession) async -> Presented {
        guard let tenant = tenants[session.tenant] else { return .failure(.noRefreshToken) }
        switch tenant.source {
        case .none: return .none
        case .cookie:
            guard let refreshToken = entry.lead.refreshToken else { return .failure(.noRefreshToken) }
            let digest = RefreshRecord.digest(refreshToken)
            let successor = recent[session.tenant].successor(of: digest, session, at: clock.monotonic())
            return .token(successor ?? refreshToken, nil)
        case .vault: return await fromVault(entry, session)
        }
    }

    private func fromVault(_ entry: Entry, _ session: RefreshSession) async -> Presented {
        guard let vault else { return .failure(.noRefreshToken) }
        // An unstored result is later than the stored one.
        let waiting = backlog.token(for: entry.keys)
        do throws(StoreError) {
            let stored = try await vault.read(entry.keys, entry.lead.principal)
            if flights[session]?.run.flight.isWithoutStore == true { return .storeIsBack }
            let reading = stored == nil || stored?.origin == waiting?.origin ? waiting ?? stored : stored
            guard let reading else { return .failure(.noRefreshToken) }
            let digest = RefreshRecord.digest(reading.refreshToken)
            if isSpent(digest, session) { return .failure(.spentToken) }
            if try await shared.isSpent(digest, entry.keys) { return .failure(.spentToken) }
            return .token(reading.refreshToken, reading)
        } catch {
            guard let waiting else { return .failure(.storeUnavailable) }
            if isSpent(RefreshRecord.digest(waiting.refreshToken), session) { return .failure(.spentToken) }
            return .token(waiting.refreshToken, waiting)
        }
    }

    private func isSpent(_ digest: [UInt8], _ session: RefreshSession) -> Bool {
        recent[session.tenant].isSpent(digest, at: clock.monotonic())
    }

    /// Checks the new tokens.
    private func check(
        _ tokens: ReceivedTokens,
        _ entry: Entry,
        _ session: RefreshSession,
        turn: UInt64
    ) async -> RefreshFlight.CallOutcome {
        flights[session]?.received = tokens
        if let old = entry.refreshToken, let new = tokens.refreshToken, old != new {
            let digest = RefreshRecord.digest(old)
            flights[session]?.spent = digest
            spend(digest, session)
        }
        var outcome: RefreshFlight.CallOutcome
        switch await accept(tokens.accessToken, entry.lead) {
        case .failure(let reason):
            outcome = failed(reason, mayRetry: false, entry)
            if reason.leavesRefreshToken, let new = tokens.refreshToken { keepSuccessor(new, entry, session) }
        case .success(let principal):
            outcome = .value(record(of: tokens, principal, entry))
            if isOn(turn, session) { flights[session]?.principal = principal }
            if await helpers.isRevoked(session.tenant, principal) { outcome = .cancelled }
        }
        // The last check before a write: a session that was ended meanwhile stays ended.
        return await isRevoked(entry.marks, session.tenant) ? .cancelled : outcome
    }

    func spend(_ digest: [UInt8], _ session: RefreshSession) {
        guard let tenant = tenants[session.tenant] else { return }
        let duration = UInt64(tenant.spentLifetime * 1e9)
        recent[session.tenant].spend(digest, for: duration, at: clock.monotonic())
    }

    /// Keeps a refresh token that came with an unusable access token: the client gets it only with a usable one.
    private func keepSuccessor(_ refreshToken: [UInt8], _ entry: Entry, _ session: RefreshSession) {
        guard let tenant = tenants[session.tenant], case .cookie = tenant.source, let old = entry.lead.refreshToken,
            refreshToken != old
        else { return }
        let successor = RecentRefreshes.Successor(
            presented: RefreshRecord.digest(old),
            refreshToken: refreshToken
        )
        let duration = UInt64(tenant.spentLifetime * 1e9)
        recent[session.tenant].keep(successor, of: session, for: duration, at: clock.monotonic())
    }

    /// Verifies a new access token, which must have the issuer, the subject and the bound key of the old one.
    func accept(_ token: [UInt8], _ request: RefreshRequest) async -> Result<Principal, RefreshFailure> {
        if token == request.accessToken { return .failure(.sameToken) }
        switch await helpers.verify(request.tenant, token) {
        case .failure: return .failure(.badToken)
        case .success(let principal):
            // Without leeway: a token that was just issued and has expired is of no use.
            if let end = principal.expiresAt, end <= clock.unix() { return .failure(.badToken) }
            guard SameBytes.are(principal.issuer, request.principal.issuer),
                SameBytes.are(principal.subject, request.principal.subject)
            else { return .failure(.otherSubject) }
            // Bound to another key the caller could not use it; bound to none, others could.
            guard Confirmation(principal.claims) == Confirmation(request.principal.claims) else {
                return .failure(.badToken)
            }
            return .success(principal)
        }
    }

    private func record(of tokens: ReceivedTokens, _ principal: Principal, _ entry: Entry) -> RefreshRecord {
        let request = entry.lead
        let now = clock.unix()
        var usableUntil = now + RefreshRecord.lifetime
        if request.trigger == .ahead, let tenant = tenants[request.tenant] {
            // The client may come back late, with only the old token.
            let ends = [
                request.principal.expiresAt.map { $0 + tenant.leeway + tenant.grace }, principal.expiresAt,
            ]
            if let end = ends.compactMap(\.self).min() { usableUntil = max(usableUntil, end) }
        }
        return RefreshRecord(
            content: .renewed(accessToken: tokens.accessToken, cookies: tokens.cookies),
            presented: tenants[request.tenant].flatMap { $0.presented(request) },
            madeAt: now,
            usableUntil: usableUntil,
            earlier: entry.lineage
        )
    }
}
