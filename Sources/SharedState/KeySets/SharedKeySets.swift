import Logging
import Store
import Verification

/// Key sets in the store, shared by all instances: the last set of each source, and the leases to fetch.
public struct SharedKeySets: Sendable {
    /// The topic of announcements about key sets; their subject is ``subject(_:)``.
    public static let topic = "key-set"
    /// Nanoseconds; longer than a fetch can take.
    static let fetchLease: UInt64 = 15_000_000_000

    let store: any Store
    private let logger: Logger

    init(store: any Store, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// - Returns: Nil if there is none, or an unusable one, which is logged.
    func heldSet(for location: String) async throws(StoreError) -> HeldKeySet? {
        let bytes: [UInt8]?
        do throws(StoreError) {
            bytes = try await store.value(for: key("key-set", location))
        } catch .garbled(let reason) {
            return ignored(location, reason)
        } catch {
            throw error
        }
        guard let bytes else { return nil }
        guard let record = KeySetRecord(json: bytes), record.location == location else {
            return ignored(location, "not a record of this set")
        }
        do throws(KeySetError) {
            return try HeldKeySet(record)
        } catch {
            return ignored(location, "\(error)")
        }
    }

    /// Stores and announces the set.
    ///
    /// - Parameter lease: The fetch lease; nil if the set was fetched without the store, or the store has lost it.
    func publish(_ record: KeySetRecord, holding lease: Lease? = nil) async -> KeySetFlight.Publishing {
        do throws(StoreError) {
            let (key, lifetime) = (key("key-set", record.location), Duration.seconds(KeySetState.longestUse))
            if let lease {
                guard try await store.set(record.json, for: key, lifetime: lifetime, holding: lease) else {
                    return .lost
                }
            } else {
                try await store.set(record.json, for: key, lifetime: lifetime)
            }
        } catch {
            logger.warning("key set cannot be shared", metadata: ["error": "\(error)"])
            return .away
        }
        // An instance that misses the announcement looks into the store before it fetches.
        try? await store.announce(Announcement(topic: Self.topic, subject: subject(record.location)))
        return .done
    }

    func leaseKey(_ location: String) -> StoreKey { key("key-set-fetch", location) }

    /// Whether a fetch for an unknown key is allowed now; without the store it is. The lease is never released: its
    /// duration is the cooldown of all instances.
    func mayFetchForUnknownKey(_ location: String) async -> Bool {
        let cooldown = Duration.seconds(KeySetState.unknownKeyCooldown)
        do throws(StoreError) {
            return try await store.acquire(key("key-set-unknown", location), for: cooldown) != nil
        } catch {
            return true
        }
    }

    /// Works in a cancelled task too, so that other instances need not wait for the lease to expire.
    func release(_ lease: Lease) async {
        let store = self.store
        await Task { try? await store.release(lease) }.value
    }

    /// The set's subject in announcements.
    func subject(_ location: String) -> String { key("key-set", location).text }

    private func key(_ kind: String, _ location: String) -> StoreKey {
        StoreKey(tenant: nil, kind: kind, hashing: location.utf8)
    }

    private func ignored(_ location: String, _ reason: String) -> HeldKeySet? {
        let metadata: Logger.Metadata = ["key": "\(key("key-set", location))", "error": "\(reason)"]
        logger.error("key set in the store cannot be used and is ignored", metadata: metadata)
        return nil
    }
}
