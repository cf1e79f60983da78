import Logging
import Store
public import Tenants
public import Verification

/// Announcements of other instances, refresh tokens that the backend issues, and revocations.
extension RefreshService {
    /// Another instance has changed a session.
    ///
    /// - Parameter subject: The announcement's, of topic ``RefreshKeys/topic``.
    public func announced(_ subject: String) {
        let parts = subject.split(separator: " ")
        guard parts.count == 3, let digest = Hexadecimal.bytes(parts[1]),
            let tenant = indices[String(parts[0])]
        else { return }
        let session = RefreshSession(tenant: tenant, name: SessionName(digest: digest))
        let known = recent[tenant].results.value(for: session, at: clock.monotonic())?.record.event
        let failed = recent[tenant].failures.value(for: session, at: clock.monotonic())?.record.event
        guard known != String(parts[2]), failed != String(parts[2]) else { return }
        recent[tenant].markUncertain(session)
        advance(session) { $0.announced(at: $1) }
    }

    /// Stores a refresh token that the backend has issued to the client, if the tenant has a vault.
    ///
    /// - Parameters:
    ///   - accessToken: The access token beside it.
    ///   - principal: The access token's.
    /// - Returns: Whether it was stored.
    public func capture(tenant: TenantIndex, accessToken: [UInt8], principal: Principal, refreshToken: [UInt8]) async
        -> Bool
    {
        guard tenant.value < tenants.count, let rules = tenants[tenant], rules.source == .vault, let vault else {
            return false
        }
        let session = RefreshSession(tenant: tenant, name: SessionName(principal))
        let keys = RefreshKeys(tenant: rules.name, session.name)
        if await helpers.isRevoked(tenant, principal) { return false }
        do throws(StoreError) {
            try await vault.capture(refreshToken, keys, principal)
            // A refresh that failed with the previous token may succeed with this.
            try await shared.store.remove(keys.failure)
            recent[tenant].failures.remove(session)
            if let entry = backlog.remove(keys) { release(entry) }
        } catch {
            logger.warning(
                "a refresh token could not be kept",
                metadata: ["tenant": "\(rules.name)", "reason": "\(error)"]
            )
            return false
        }
        await shared.finish(nil, keys, event: "captured")
        return true
    }

    /// Announcements may have been missed: everything is looked up again.
    public func reloaded() {
        for tenant in recent.indices { recent[tenant].markAllUncertain() }
        for session in flights.keys { advance(session) { $0.announced(at: $1) } }
    }

    // MARK: Revocations

    /// Cancels the refreshes of sessions that are now revoked, and removes their results.
    ///
    /// - Parameter changed: The names of the tenants with new revocations.
    public func revocationsChanged(tenants changed: Set<String>) async {
        revocationsWanted.formUnion(changed.compactMap { indices[$0] })
        // One check at a time, and one after the last change: a check visits all sessions, and changes may be many.
        guard !isCancellingRevoked else { return }
        isCancellingRevoked = true
        while let tenant = revocationsWanted.popFirst() { await cancelRevoked(tenant) }
        isCancellingRevoked = false
    }

    private func cancelRevoked(_ tenant: TenantIndex) async {
        let flying = flights.filter { $0.key.tenant == tenant }.map { ($0.key, $0.value.leadID, $0.value.marks) }
        let results = recent[tenant].results.all(at: clock.monotonic())
        let waiting = backlog.all.filter { $0.session.tenant == tenant }
        let marks = flying.map(\.2) + results.map(\.value.oldMarks) + waiting.flatMap(\.marks)
        guard !marks.isEmpty else { return }
        var areRevoked = await helpers.areRevoked(tenant, marks)[...]
        for (session, leadID, _) in flying where areRevoked.popFirst() == true {
            guard flights[session]?.leadID == leadID else { continue }
            advance(session) { flight, _ in flight.cancelled() }
        }
        var revoked: [RefreshSession] = []
        for (session, result) in results where areRevoked.popFirst() == true {
            let known = recent[tenant].results.value(for: session, at: clock.monotonic())
            if known?.record == result.record { revoked.append(session) }
        }
        dropResults(revoked)
        for entry in waiting {
            let isRevoked = entry.marks.map { _ in areRevoked.popFirst() ?? false }
            if isRevoked.contains(true) { discard(entry, endsNewSession: isRevoked.first ?? false) }
        }
    }
}
