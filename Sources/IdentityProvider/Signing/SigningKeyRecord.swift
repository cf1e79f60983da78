import Store
import Time
import Verification

/// A tenant's ring in the store, sealed. It is only ever changed where it is still as it was read: of two instances that
/// change it at once, the second does its part on what the first left.
///
/// Each algorithm has a ring of its own, so that a changed `algorithm` begins one.
struct SigningKeyRecord: Sendable {
    /// How often a change is tried anew that others got ahead of; each time one of them had done theirs.
    private static let mostTries = 32

    /// What an update came to.
    struct Outcome: Sendable {
        /// The ring that was in the store; nil if there was none.
        let before: SigningKeyring?
        /// The ring that is there now.
        let ring: SigningKeyring

        var isChanged: Bool { before != ring }
    }

    private let store: any Store
    private let sealer: Sealer
    private let tenant: String
    private let algorithm: SignatureAlgorithm

    init(_ store: any Store, _ sealer: Sealer, tenant: String, algorithm: SignatureAlgorithm) {
        self.store = store
        self.sealer = sealer
        self.tenant = tenant
        self.algorithm = algorithm
    }

    private var key: StoreKey { StoreKey(tenant: tenant, kind: "signing-keys", name: algorithm.rawValue) }

    /// Reads the ring and puts what `change` makes of it in its place. When this returns, that is what is there.
    ///
    /// - Parameters:
    ///   - known: What to put back if the store has lost it; nil: a new ring is made.
    ///   - change: Called again for each ring that others wrote meanwhile.
    func update(
        else known: SigningKeyring?,
        at now: UnixTime,
        _ change: @Sendable (SigningKeyring) throws(SigningError) -> SigningKeyring
    ) async throws(SigningProblem) -> Outcome {
        for _ in 0..<Self.mostTries {
            let (before, sealed, isOutdated) = try await read()
            let ring = try Self.changed(change, before ?? known, algorithm, at: now)
            let outcome = Outcome(before: before, ring: ring)
            if !outcome.isChanged, !isOutdated { return outcome }
            let isDone = try await asking { () async throws(StoreError) in
                try await store.replace(sealed, with: sealer.seal(ring.json, for: key), for: key)
            }
            if isDone { return outcome }
        }
        throw .store(.unavailable("\(key) is changed all the time"))
    }

    private static func changed(
        _ change: (SigningKeyring) throws(SigningError) -> SigningKeyring,
        _ ring: SigningKeyring?,
        _ algorithm: SignatureAlgorithm,
        at now: UnixTime
    ) throws(SigningProblem) -> SigningKeyring {
        do throws(SigningError) {
            if let ring { return try change(ring) }
            return try change(.first(algorithm, at: now))
        } catch {
            throw .notGenerated(error)
        }
    }

    /// A word that is lost does no harm: every instance looks each minute at least.
    func announce(topic: String) async {
        try? await store.announce(Announcement(topic: topic, subject: tenant))
    }

    private func read() async throws(SigningProblem) -> (SigningKeyring?, sealed: [UInt8]?, isOutdated: Bool) {
        try await asking { () async throws(StoreError) in
            guard let sealed = try await store.value(for: key) else { return (nil, nil, false) }
            let (json, isOutdated) = try sealer.open(sealed, for: key)
            guard let ring = SigningKeyring(json: json, algorithm) else { throw .garbled("\(key) is no ring of keys") }
            return (ring, sealed, isOutdated)
        }
    }

    private func asking<Answer>(
        _ ask: () async throws(StoreError) -> Answer
    ) async throws(SigningProblem) -> Answer {
        do throws(StoreError) {
            return try await ask()
        } catch {
            throw .store(error)
        }
    }
}
