import Logging
import Store
public import Tenants
public import Verification

/// What other instances say, what the client is given by the backend itself, and who was revoked.
extension RefreshService {
    /// Something happened to a session.
    ///
    /// - Parameter subject: The announcement's, of topic ``RefreshKeys/topic``.
    public func announced(_ subject: String) {
        let words = subject.split(separator: " ")
        guard words.count == 3, let digest = Hexadecimal.bytes(words[1]),
            let tenant = tenants.firstIndex(where: { $0?.name == String(words[0]) }).map(TenantIndex.init)
        else { return }
        let session = RefreshSession(tenant: tenant, name: SessionName(digest: digest))
        let known = recent[tenant].results.value(for: session, at: clock.monotonic())?.record.event
        let failed = recent[tenant].failures.value(for: session, at: clock.monotonic())?.record.event
        guard known != String(words[2]), failed != String(words[2]) else { return }
        recent[tenant].doubt(session)
        advance(session) { $0.announced(at: $1) }
    }

    /// Keeps a refresh token that the backend gave to the client, for a session with a vault.
    ///
    /// - Parameters:
    ///   - accessToken: What came with it.
    ///   - principal: What that was verified as.
    /// - Returns: Whether the store has it.
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
            // What failed with the earlier token may go well with this.
            try await shared.store.remove(keys.failure)
            recent[tenant].failures.remove(session)
            if let entry = backlog.remove(keys) { letGo(of: entry) }
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

    /// Words may have been missed: everything is looked up anew.
    public func reloaded() {
        for tenant in recent.indices { recent[tenant].doubtAll() }
        for session in flights.keys { advance(session) { $0.announced(at: $1) } }
    }

    // MARK: Revocations

    /// Someone was revoked: nobody gets new tokens in the place of old ones that are not good any more.
    ///
    /// - Parameter changed: The tenants, by name.
    public func revocationsChanged(tenants changed: Set<String>) async {
        for (index, tenant) in tenants.enumerated() where tenant.map({ changed.contains($0.name) }) ?? false {
            revocationsWanted.insert(TenantIndex(index))
        }
        // Whoever looks already looks again: what is walked through may be long, and changes many.
        guard !isLookingForRevoked else { return }
        isLookingForRevoked = true
        while let tenant = revocationsWanted.popFirst() { await lookForRevoked(tenant) }
        isLookingForRevoked = false
    }

    /// One question for all of them.
    private func lookForRevoked(_ tenant: TenantIndex) async {
        let flying = flights.filter { $0.key.tenant == tenant }.map { ($0.key, $0.value.leadAsker, $0.value.marks) }
        let results = recent[tenant].results.all(at: clock.monotonic())
        let waiting = backlog.all.filter { $0.session.tenant == tenant }
        let marks = flying.map(\.2) + results.map(\.value.oldMarks) + waiting.flatMap(\.marks)
        guard !marks.isEmpty else { return }
        var answers = await helpers.areRevoked(tenant, marks)[...]
        for (session, leadAsker, _) in flying where answers.popFirst() == true {
            guard flights[session]?.leadAsker == leadAsker else { continue }
            advance(session) { flight, _ in flight.cancelled() }
        }
        var revoked: [RefreshSession] = []
        for (session, result) in results where answers.popFirst() == true {
            let known = recent[tenant].results.value(for: session, at: clock.monotonic())
            if known?.record == result.record { revoked.append(session) }
        }
        dropResults(revoked)
        for entry in waiting {
            let isRevoked = entry.marks.map { _ in answers.popFirst() ?? false }
            if isRevoked.contains(true) { discard(entry, endsNewSession: isRevoked.first ?? false) }
        }
    }
}
