import Store
import Time
import Verification

/// What a finished refresh writes to the store.
struct RefreshPublication: Sendable {
    /// The change of the vault's token.
    struct VaultChange: Sendable {
        /// Nil: it is removed.
        var refreshToken: [UInt8]?
        var origin: String?
        /// The new access token's, whose session name may differ from the old one's.
        var keys: RefreshKeys
        var principal: Principal
        /// The number of refreshes since the captured token.
        var generation: Double
        /// Whether a later refresh has used the token: then it is not written.
        var isUsedUp = false
    }

    var record: RefreshRecord
    var keys: RefreshKeys
    /// The credential that the client presented.
    var secret: [UInt8]
    var vault: VaultChange?
    /// The SHA-256 of the used refresh token.
    var spent: [UInt8]?
    var spentLifetime: Duration
    /// The old access token's and, if there is one, the new one's: neither may be revoked when this is written.
    var principal: Principal
    var newPrincipal: Principal?
}

/// Refresh results in the store, shared by all instances.
struct SharedRefreshes: Sendable {
    let store: any Store
    let seal: RefreshSeal

    /// Finds the session's result, whichever credential was presented for it.
    ///
    /// - Returns: The lookup, and the record that the request's own token came from.
    func findResult(
        _ request: RefreshRequest,
        _ keys: RefreshKeys,
        at now: UnixTime
    ) async -> (lookup: RefreshFlight.Lookup, source: RefreshRecord?) {
        do throws(StoreError) {
            return try await result(request, keys, at: now)
        } catch {
            return (.away, nil)
        }
    }

    /// Finds reasons against a call, if there is no result.
    ///
    /// - Parameter presented: ``RefreshTenant/presented(_:)``.
    func findObstacle(
        _ request: RefreshRequest,
        _ keys: RefreshKeys,
        presented: [UInt8]?,
        at now: UnixTime
    ) async -> RefreshFlight.Lookup {
        do throws(StoreError) {
            if let refreshToken = request.refreshToken,
                try await isSpent(RefreshRecord.digest(refreshToken), keys)
            {
                return .obstacle(.spentToken)
            }
            return try await failure(request, keys, presented: presented, at: now)
        } catch {
            return .away
        }
    }

    func isSpent(_ digest: [UInt8], _ keys: RefreshKeys) async throws(StoreError) -> Bool {
        try await store.value(for: keys.spent(digest)) != nil
    }

    private func result(
        _ request: RefreshRequest,
        _ keys: RefreshKeys,
        at now: UnixTime
    ) async throws(StoreError) -> (RefreshFlight.Lookup, RefreshRecord?) {
        guard let bytes = try await store.value(for: keys.result) else { return (.nothing, nil) }
        let digest = RefreshRecord.digest(request.accessToken)
        let madeAt: UnixTime
        let newDigest: [UInt8]?
        var found: RefreshRecord?
        switch seal.open(bytes, for: keys.result, secret: request.secret) {
        case .record(let record):
            (madeAt, newDigest, found) = (record.madeAt, record.newDigest, record)
        case .closed(let label): (madeAt, newDigest) = (label.madeAt, label.digest)
        case .garbled: return (.superseded(.storeUnavailable), nil)
        }
        let isYoung = abs(now - madeAt) < RefreshRecord.lifetime
        if newDigest == digest {
            return (request.trigger == .unauthorized && isYoung ? .superseded(.justRefreshed) : .nothing, found)
        }
        if let found { return (found.isRenewed ? .found(found) : .nothing, nil) }
        return (isYoung ? .superseded(.storeUnavailable) : .nothing, nil)
    }

    private func failure(
        _ request: RefreshRequest,
        _ keys: RefreshKeys,
        presented: [UInt8]?,
        at now: UnixTime
    ) async throws(StoreError) -> RefreshFlight.Lookup {
        guard let bytes = try await store.value(for: keys.failure),
            case .record(let record) = seal.open(bytes, for: keys.failure, secret: request.secret), !record.isRenewed,
            record.presented == nil || record.presented == presented
        else { return .nothing }
        return record.isRefused ? .found(record) : .failed(record)
    }

    /// Writes to the vault first: its token cannot be obtained again. Each write requires the lease.
    func publish(_ publication: RefreshPublication, holding lease: Lease, at now: UnixTime) async
        -> RefreshFlight.Publishing
    {
        do throws(StoreError) {
            let keys = publication.keys
            if let change = publication.vault, !change.isUsedUp, let sealer = seal.sealer {
                let vault = RefreshVault(store: store, sealer: sealer)
                if try await !vault.write(change, holding: lease) { return .lost }
            }
            let record = publication.record
            let key = record.isRenewed ? keys.result : keys.failure
            let sealed = try seal.seal(record, for: key, secret: publication.secret)
            let lifetime = Duration.seconds(max(record.usableUntil - now, 1))
            guard try await store.set(sealed, for: key, lifetime: lifetime, holding: lease) else { return .lost }
            // Last: an instance that sees this mark finds the new tokens.
            guard let spent = publication.spent else { return .done }
            let mark = keys.spent(spent)
            return try await store.set([1], for: mark, lifetime: publication.spentLifetime, holding: lease)
                ? .done : .lost
        } catch .sealBroken {
            return .impossible
        } catch {
            return .away
        }
    }

    /// Releases the lease, and notifies the instances that wait.
    func finish(_ lease: Lease?, _ keys: RefreshKeys, event: String?) async {
        if let lease { try? await store.release(lease) }
        guard let event else { return }
        try? await store.announce(Announcement(topic: RefreshKeys.topic, subject: keys.subject(event)))
    }
}

extension RefreshRequest {
    /// The credential that proves the session.
    var secret: [UInt8] { refreshToken ?? accessToken }
}
