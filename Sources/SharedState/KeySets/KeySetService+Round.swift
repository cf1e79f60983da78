import Logging
import Store
import Tenants
import Time
import Verification

/// One round: a look into the store, the lease, another look, and the fetch; or waiting for the instance that has the
/// lease.
extension KeySetService {
    /// Seconds between two looks into the store while another instance fetches.
    private static let lookInterval = 0.25

    /// - Returns: How it ended, and the lease if it is held: to be given back once the others can find the result.
    func round(_ source: RemoteKeySource, _ purpose: KeySetState.Purpose) async -> (KeySetState.Result, Lease?) {
        do throws(StoreError) {
            return try await sharedRound(source, purpose)
        } catch {
            return (await fetched(source), nil)
        }
    }

    private func sharedRound(
        _ source: RemoteKeySource,
        _ purpose: KeySetState.Purpose
    ) async throws(StoreError) -> (KeySetState.Result, Lease?) {
        let location = source.locationText
        let known = entries[source]?.state.held?.set
        let begin = clock.now().monotonic
        let end = begin + SharedKeySets.fetchLease / .seconds(1)
        var isFirst = true
        while !Task.isCancelled {
            if let found = try await news(of: source) { return (.found(found), nil) }
            // Adopted in the meantime, when it was announced.
            if let held = entries[source]?.state.held?.set, held != known { return (.found(held), nil) }
            let now = clock.now().monotonic
            // If the one who fetched for all has failed, the provider is not to hear from the others one by one. A
            // fetch for an unknown key has its own limit, and its lease is taken for a moment only to look at that.
            if isFirst || now >= end || purpose == .unknownKey,
                let lease = try await shared.leaseToFetch(location)
            {
                // Whoever had the lease until now may have found something.
                if let found = try await news(of: source) { return (.found(found), lease) }
                if purpose == .unknownKey, !(try await shared.mayFetchForUnknownKey(location)) {
                    return (.refused, lease)
                }
                return (await fetched(source), lease)
            }
            guard now < end else { break }
            isFirst = false
            await clock.sleep(now + Self.lookInterval)
        }
        failed(source, KeySetFetchProblem("another instance has not finished fetching it"))
        return (.failed, nil)
    }

    /// The set in the store, if it is newer than the one that is held.
    func news(of source: RemoteKeySource) async throws(StoreError) -> HeldKeySet? {
        let before = entries[source]
        guard let found = try await shared.heldSet(for: source.locationText), isUsable(found.record) else { return nil }
        let held = entries[source]?.state.held?.set.record
        // What came from elsewhere while the store was being read may be newer than what it said then.
        guard held == before?.state.held?.set.record else { return nil }
        guard let held else { return found }
        guard found.record != held else { return nil }
        // The store had ours and has another now: that came later, whatever the clocks of the two instances say. If
        // it never had ours, because it was down, only the clocks can tell.
        let isNewer = before?.isShared == true || found.record.fetchedAt > held.fetchedAt
        return isNewer ? found : nil
    }

    /// Whether the last success is recent enough.
    func isUsable(_ record: KeySetRecord) -> Bool {
        clock.now().unix - record.fetchedAt < KeySetState.longestUse
    }

    private func fetched(_ source: RemoteKeySource) async -> KeySetState.Result {
        // Only what came from the provider itself is asked about: what was found in the store or on disk may be nobody's
        // set, and would go on being used for as long as the provider said that there is nothing newer than its tag.
        var known = entries[source]?.received
        // The provider may have moved its keys and told so in its metadata.
        if entries[source]?.lastError != nil { known?.discovery = nil }
        do throws(KeySetFetchProblem) {
            let record = try await fetcher.fetch(source, since: known, at: clock.now().unix)
            let set = try held(record)
            entries[source]?.received = record
            return .fetched(set)
        } catch {
            failed(source, error)
            return .failed
        }
    }

    private func held(_ record: KeySetRecord) throws(KeySetFetchProblem) -> HeldKeySet {
        do throws(KeySetError) {
            return try HeldKeySet(record)
        } catch {
            throw KeySetFetchProblem("\(error)")
        }
    }

    private func failed(_ source: RemoteKeySource, _ problem: KeySetFetchProblem) {
        guard !Task.isCancelled else { return }
        entries[source]?.lastError = problem.description
        logger.warning(
            "key set cannot be fetched",
            metadata: ["key_set": "\(source.label)", "error": "\(problem)"]
        )
    }
}
