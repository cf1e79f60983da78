import Store
import Time
import Verification

/// What is to be written when a refresh is done.
struct RefreshPublication: Sendable {
    /// What happens to the vault's token.
    struct VaultChange: Sendable {
        /// Nil: it is gone.
        var refreshToken: [UInt8]?
        var origin: String?
        /// The new access token's, where it has another name than the old one.
        var keys: RefreshKeys
        var principal: Principal
        /// How many refreshes the token is away from the one that was captured.
        var generation: Double
        /// Whether a later refresh has used the token already: then there is nothing to write.
        var isUsedUp = false
    }

    var record: RefreshRecord
    var keys: RefreshKeys
    /// What the client presented.
    var secret: [UInt8]
    var vault: VaultChange?
    /// The SHA-256 of the refresh token that was used up.
    var spent: [UInt8]?
    var spentLifetime: Duration
    /// The old access token's, and the new one's where there is one: neither may be revoked when this is written.
    var principal: Principal
    var newPrincipal: Principal?
}

/// What instances share of refreshes through the store.
struct SharedRefreshes: Sendable {
    let store: any Store
    let seal: RefreshSeal

    /// Looks for a result of the session, whatever it was got with.
    ///
    /// - Returns: What there is, and the record that the request's own token came with.
    func lookForResult(
        _ request: RefreshRequest,
        _ keys: RefreshKeys,
        at now: UnixTime
    ) async -> (look: RefreshFlight.Look, source: RefreshRecord?) {
        do throws(StoreError) {
            return try await result(request, keys, at: now)
        } catch {
            return (.away, nil)
        }
    }

    /// Looks for what speaks against a call, where no result does.
    ///
    /// - Parameters:
    ///   - presented: The SHA-256 of what would be presented to the provider; nil: nobody knows before the vault is
    ///     read.
    func lookForObstacle(
        _ request: RefreshRequest,
        _ keys: RefreshKeys,
        presented: [UInt8]?,
        at now: UnixTime
    ) async -> RefreshFlight.Look {
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
    ) async throws(StoreError) -> (RefreshFlight.Look, RefreshRecord?) {
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
    ) async throws(StoreError) -> RefreshFlight.Look {
        guard let bytes = try await store.value(for: keys.failure),
            case .record(let record) = seal.open(bytes, for: keys.failure, secret: request.secret), !record.isRenewed,
            record.presented == nil || record.presented == presented
        else { return .nothing }
        return record.isRefused ? .found(record) : .failed(record)
    }

    /// The vault first: of all that is written, the token in it cannot be had again. Each write is made only while the
    /// lease is held.
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
            // Last: who sees this mark finds the tokens that came for the used-up one.
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

    /// Gives the lease back, and tells those who wait.
    func finish(_ lease: Lease?, _ keys: RefreshKeys, event: String?) async {
        if let lease { try? await store.release(lease) }
        guard let event else { return }
        try? await store.announce(Announcement(topic: RefreshKeys.topic, subject: keys.subject(event)))
    }
}

extension RefreshRequest {
    /// What proves the session.
    var secret: [UInt8] { refreshToken ?? accessToken }
}
