import Store
import Time
import Verification

/// A tenant's key ring in the store, sealed. It is changed only by compare-and-set: of two instances that change it at
/// once, the second repeats its change on the first's result.
///
/// Each algorithm has its own ring, so changing `algorithm` begins a new one.
struct SigningKeyRecord: Sendable {
    /// How often a change is retried after others got in first; each retry means that one of them made progress.
    private static let mostTries = 32

    /// The result of an update.
    struct Outcome: Sendable {
        /// The ring that was in the store; nil if there was none.
        let before: SigningKeyring?
        /// The ring that is there now.
        let ring: SigningKeyring

        var isChanged: Bool { before != ring }
    }

    let store: any Store
    let sealer: Sealer
    let tenant: String
    let algorithm: SignatureAlgorithm

    private var key: StoreKey { StoreKey(tenant: tenant, kind: "signing-keys", name: algorithm.rawValue) }

    /// Reads the ring and replaces it with the result of `change`. When this returns, the result is stored.
    ///
    /// - Parameters:
    ///   - known: The ring to restore if the store has lost it; nil to create a new one.
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
            if try await replace(sealed, with: ring) { return outcome }
        }
        throw .store(.unavailable("\(key) changes too often to be updated"))
    }

    /// - Returns: False if it was changed meanwhile.
    private func replace(_ sealed: [UInt8]?, with ring: SigningKeyring) async throws(SigningProblem) -> Bool {
        do throws(StoreError) {
            return try await store.replace(sealed, with: sealer.seal(ring.json, for: key), for: key)
        } catch {
            throw .store(error)
        }
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

    /// A lost announcement does no harm: every instance checks at least once a minute.
    func announce(topic: String) async {
        try? await store.announce(Announcement(topic: topic, subject: tenant))
    }

    private func read() async throws(SigningProblem) -> (SigningKeyring?, sealed: [UInt8]?, isOutdated: Bool) {
        do throws(StoreError) {
            guard let sealed = try await store.value(for: key) else { return (nil, nil, false) }
            let (json, isOutdated) = try sealer.open(sealed, for: key)
            guard let ring = SigningKeyring(json: json, algorithm) else { throw .garbled("\(key) is not a key ring") }
            return (ring, sealed, isOutdated)
        } catch {
            throw .store(error)
        }
    }
}
