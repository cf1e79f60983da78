import Store

/// Announcements may be lost, and a key that was withdrawn must not stay good until the set is due.
extension KeySetService {
    private static let interval = Duration.seconds(60)

    /// Adopts what the store has newer. Where it has an older set than ours, or none, it has lost what it had: a key that
    /// was withdrawn meanwhile would come back. It gets ours again.
    public func lookAgain() async {
        for source in entries.keys {
            let location = source.locationText
            guard let held = entries[source]?.state.held?.set.record else {
                await announced(shared.subject(location))
                continue
            }
            guard let answer = await stored(location) else { continue }
            if let found = answer.record, found.fetchedAt > held.fetchedAt {
                await announced(shared.subject(location))
            } else if answer.record.map({ $0.fetchedAt < held.fetchedAt }) ?? true, isUsable(held) {
                _ = await shared.publish(held)
            }
        }
    }

    /// - Returns: Nil if the store cannot be asked.
    private func stored(_ location: String) async -> (record: KeySetRecord?, Void)? {
        do throws(StoreError) {
            return (try await shared.heldSet(for: location)?.record, ())
        } catch {
            return nil
        }
    }

    /// Looks about once a minute, until the task is cancelled.
    public func lookAgainAndAgain() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.interval * Double.random(in: 0.75...1.25))
            if !Task.isCancelled { await lookAgain() }
        }
    }
}
