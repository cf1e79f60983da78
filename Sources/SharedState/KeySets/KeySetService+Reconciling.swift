import Store
import Time

/// Keeps this instance and the store on the same sets: announcements may be lost, and a withdrawn key must not stay valid
/// until the set is due.
extension KeySetService {
    private static let interval = Duration.seconds(60)

    /// Adopts newer sets in the store. If the store has an older set than this instance, or none, it has lost data, and
    /// gets this one's again: otherwise a withdrawn key would come back.
    public func reconcile() async {
        for source in entries.keys {
            let location = source.locationText
            guard let held = entries[source]?.state.held?.set.record else {
                await announced(shared.subject(location))
                continue
            }
            let storedAt: UnixTime
            do throws(StoreError) {
                storedAt = try await shared.heldSet(for: location)?.record.fetchedAt ?? .distantPast
            } catch {
                continue
            }
            if storedAt > held.fetchedAt {
                await announced(shared.subject(location))
            } else if storedAt < held.fetchedAt, isUsable(held) {
                _ = await shared.publish(held)
            }
        }
    }

    /// Reconciles about once a minute, until the task is cancelled.
    public func reconcilePeriodically() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.interval * Double.random(in: 0.75...1.25))
            if !Task.isCancelled { await reconcile() }
        }
    }
}
