public import Logging
public import Store
public import Tenants
public import Time
public import Verification

/// The keys of an issuer that the gateway makes itself: a sealed ring in the store that instances share and change by
/// compare-and-set. Signs off the event loops: an RSA signature takes most of a millisecond.
///
/// Call ``keepUp(at:)`` at least every minute, and when ``topic`` is announced with the tenant's name.
public actor StoredKeys: IssuerKeys {
    /// The topic that announces a changed ring; the subject is the tenant.
    public static let topic = "signing-keys"
    /// Seconds after which a ring is read again before it is used, if ``keepUp(at:)`` was not called.
    private static let freshness = 120.0
    /// Seconds between two attempts of that.
    private static let pause = 5.0

    /// A ring that all verifiers of this instance know.
    private struct LoadedRing {
        var ring: SigningKeyring
        var published: PublishedKeys
        /// When it was read from the store.
        var readAt: UnixTime
    }

    private let algorithm: SignatureAlgorithm
    private let times: SigningKeyTimes
    private let record: SigningKeyRecord
    private let now: @Sendable () -> UnixTime
    private let logger: Logger
    private let distribute: @Sendable (KeySet) async -> Void
    private var loaded: LoadedRing?
    private var signer: (keyID: String, signer: TokenSigner)?
    /// Why the last read of the store failed, and when.
    private var failure: (problem: SigningProblem, at: UnixTime)?
    /// The last of the queued reads and changes of the ring.
    private var lastOperation: Task<Void, Never>?

    /// - Parameters:
    ///   - store: Open.
    ///   - sealer: Seals the private keys.
    ///   - now: The clock for signing.
    ///   - distribute: Passes the keys to all verifiers of this instance. No key signs before it has returned.
    public init(
        _ issuer: BuiltInIssuer,
        tenant: String,
        store: any Store,
        sealer: Sealer,
        now: @escaping @Sendable () -> UnixTime,
        logger: Logger = Logger(label: "gatehouse.issuer"),
        distribute: @escaping @Sendable (KeySet) async -> Void
    ) {
        algorithm = issuer.algorithm
        times = SigningKeyTimes(issuer)
        record = SigningKeyRecord(store: store, sealer: sealer, tenant: tenant, algorithm: issuer.algorithm)
        self.now = now
        var logger = logger
        logger[metadataKey: "tenant"] = "\(tenant)"
        self.logger = logger
        self.distribute = distribute
    }

    /// Reads the ring, creates the first one if there is none, and makes due changes.
    ///
    /// - Throws: ``SigningProblem/store(_:)``, also if `GATEHOUSE_KEY` does not open it.
    public func load(at now: UnixTime) async throws(SigningProblem) {
        _ = try await serialized { await self.refreshed(at: now) }.get()
    }

    /// Reads the ring again and makes due changes: a key takes over, a next one is made, an old one forgotten. Failures
    /// are logged, and the previous ring stays in use.
    public func keepUp(at now: UnixTime) async {
        _ = await serialized { await self.refreshed(at: now) }
    }

    /// Makes the next key take over as soon as all verifiers can know it.
    ///
    /// - Parameter dryRun: Whether only to return the plan.
    public func rotate(at now: UnixTime, dryRun: Bool) async throws(SigningProblem) -> RotationPlan {
        try await serialized { () async -> Result<RotationPlan, SigningProblem> in
            do throws(SigningProblem) {
                return .success(try await self.rotated(at: now, dryRun: dryRun))
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// The state of every key of the ring as stored now.
    public func states(at now: UnixTime) async throws(SigningProblem) -> [SigningKeyState] {
        try await serialized { await self.refreshed(at: now) }.get().states(at: now, times)
    }

    public func sign(_ claims: JSONObject, as type: IssuedTokenType) async throws(SigningProblem) -> String {
        let now = now()
        let loaded = try await current(at: now)
        let age = now - loaded.readAt
        guard age <= SigningKeyTimes.withoutStore else { throw .outOfTouch(seconds: Int(age)) }
        return try signer(for: loaded.ring.active(at: now)).token(claims, as: type)
    }

    /// A loaded ring may be published however old it is: a key is published an hour before it signs.
    public func published() async throws(SigningProblem) -> PublishedKeys {
        if let loaded { return loaded.published }
        return try await current(at: now()).published
    }

    /// Whether the ring was read at least once.
    public var isLoaded: Bool { loaded != nil }
}

// MARK: - Steps

extension StoredKeys {
    /// One at a time, so that an older ring never replaces a newer one.
    private func serialized<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        let before = lastOperation
        let task = Task {
            await before?.value
            return await work()
        }
        lastOperation = Task { _ = await task.value }
        return await task.value
    }

    /// The loaded ring, read again if it is stale: a process may have been suspended.
    private func current(at now: UnixTime) async throws(SigningProblem) -> LoadedRing {
        if let loaded, isFresh(loaded, at: now) { return loaded }
        await serialized { await self.refreshIfDue(at: now) }
        guard let loaded else { throw failure?.problem ?? .store(.unavailable("they were not read yet")) }
        return loaded
    }

    private func isFresh(_ loaded: LoadedRing, at now: UnixTime) -> Bool { now - loaded.readAt <= Self.freshness }

    private func refreshIfDue(at now: UnixTime) async {
        if let loaded, isFresh(loaded, at: now) { return }
        if let failure, abs(now - failure.at) < Self.pause { return }
        _ = await refreshed(at: now)
    }

    private func refreshed(at now: UnixTime) async -> Result<SigningKeyring, SigningProblem> {
        let times = times
        do throws(SigningProblem) {
            return .success(
                try await update(at: now) { (ring) throws(SigningError) in try ring.kept(at: now, times) }.ring
            )
        } catch {
            return .failure(error)
        }
    }

    private func rotated(at now: UnixTime, dryRun: Bool) async throws(SigningProblem) -> RotationPlan {
        let times = times
        // From here on there is a next key, and it is stored.
        let before = try await refreshed(at: now).get()
        if dryRun { return before.rotatePlan(at: now, times) }
        let outcome = try await update(at: now) { (ring) throws(SigningError) in try ring.rotated(at: now, times) }
        let plan = outcome.ring.rotatePlan(at: now, times)
        return outcome.isChanged ? plan.startedNow : plan
    }

    /// Changes the ring in the store, and then uses the result.
    private func update(
        at now: UnixTime,
        _ change: @Sendable (SigningKeyring) throws(SigningError) -> SigningKeyring
    ) async throws(SigningProblem) -> SigningKeyRecord.Outcome {
        do throws(SigningProblem) {
            let known = loaded?.ring
            let outcome = try await record.update(else: known, at: now, change)
            try await use(outcome.ring, at: now)
            log(outcome, isKnown: known != nil)
            if outcome.isChanged { await record.announce(topic: Self.topic) }
            return outcome
        } catch {
            if failure == nil {
                let consequence: Logger.Message =
                    loaded == nil
                    ? "no tokens can be signed: the signing keys were not read"
                    : "the signing keys were not read again; the previous ones stay in use"
                logger.error(consequence, metadata: ["reason": "\(error)"])
            }
            failure = (error, now)
            throw error
        }
    }

    private func use(_ ring: SigningKeyring, at now: UnixTime) async throws(SigningProblem) {
        if var loaded, loaded.ring.keys.map(\.keyID) == ring.keys.map(\.keyID) {
            loaded.ring = ring
            loaded.readAt = now
            self.loaded = loaded
            return
        }
        let published = try ring.published()
        await distribute(published.keys)
        loaded = LoadedRing(ring: ring, published: published, readAt: now)
    }

    private func log(_ outcome: SigningKeyRecord.Outcome, isKnown: Bool) {
        if failure != nil { logger.info("the signing keys are read again") }
        failure = nil
        guard outcome.isChanged else { return }
        var metadata: Logger.Metadata = ["keys": "\(outcome.ring.keys.map(\.keyID).joined(separator: " "))"]
        if outcome.before != nil {
            if let settled = outcome.ring.keys.last?.activeFrom {
                metadata["takes_over_at"] = "\(Int(settled.seconds))"
            }
            logger.notice("signing keys changed", metadata: metadata)
        } else if isKnown {
            logger.warning("the signing keys were missing in the store and have been restored", metadata: metadata)
        } else {
            logger.notice("signing keys made", metadata: metadata)
        }
    }

    private func signer(for active: SigningKeyring.Key) throws(SigningProblem) -> TokenSigner {
        if let signer, signer.keyID == active.keyID { return signer.signer }
        do throws(SigningError) {
            let signer = try TokenSigner(active.key, algorithm: algorithm, keyID: active.keyID)
            self.signer = (active.keyID, signer)
            return signer
        } catch {
            throw .notSigned(error)
        }
    }
}
