import Logging
import Store
import Tenants
import Time
import Verification

typealias KeySetFlight = FleetSingleFlight<HeldKeySet, KeySetRound.Obstacle>

/// One round of a source: its single flight, and its outcome.
struct KeySetRound: FleetFlightEntry {
    enum Obstacle: FleetFlightObstacle {
        case late, timeout, storeUnavailable
        /// Another instance has fetched for an unknown key within the cooldown.
        case refused
        case fetchFailed
    }

    var run: FleetFlightRun<HeldKeySet, Obstacle>
    let purpose: KeySetState.Purpose
    /// The set at its beginning.
    let known: HeldKeySet?
    let over: CheckedContinuation<(KeySetFlight.Ending, KeySetFlight), Never>
}

extension FleetFlightRules {
    /// A second fetch does no harm: without the store each instance fetches for itself at once. If the instance that
    /// fetches for all fails, the others do not try one after the other. A fetch for an unknown key has its own limit,
    /// and holds the lease only while it checks that.
    static func fetching(_ purpose: KeySetState.Purpose) -> FleetFlightRules {
        let lease = SharedKeySets.fetchLease
        return FleetFlightRules(
            leaseDuration: lease,
            renewalInterval: lease * 2 / 3,
            storeOutageLimit: 0,
            storeAttemptLimit: 1,
            holderOutageLimit: 0,
            callsWithoutStore: true,
            lookupInterval: 250_000_000,
            takeOverAfter: purpose == .routine ? lease : 0,
            callLimit: 1,
            callDuration: 0,
            timeLimit: lease + 500_000_000
        )
    }
}

extension KeySetService {
    /// Returns when the round is over and its outcome is in the store.
    func round(_ source: RemoteKeySource, _ purpose: KeySetState.Purpose) async {
        let (ending, flight) = await withTaskCancellationHandler {
            await withCheckedContinuation { over in
                flights[source] = KeySetRound(
                    run: FleetFlightRun(
                        .fetching(purpose),
                        leaseKey: shared.leaseKey(source.locationText),
                        at: clock.monotonic()
                    ),
                    purpose: purpose,
                    known: entries[source]?.state.held?.set,
                    over: over
                )
                advance(source) { $0.lookUp(at: $1) }
            }
        } onCancel: {
            Task { await self.endRound(source) }
        }
        await ended(source, ending, isWithoutStore: flight.isWithoutStore)
        if let lease = flight.lease { await shared.release(lease) }
    }

    private func endRound(_ source: RemoteKeySource) {
        advance(source) { $0.stop(at: $1) }
        flights[source]?.run.cancelTasks()
    }

    private func ended(_ source: RemoteKeySource, _ ending: KeySetFlight.Ending, isWithoutStore: Bool) async {
        switch ending.content {
        case .value(let set):
            // After a lost lease nothing is written: another instance may have written a newer set.
            if !ending.isOwn {
                await finished(source, .found(set))
            } else if ending.isUnpublished, isWithoutStore, await shared.publish(set.record) == .done {
                entries[source]?.isShared = true
            }
        case .obstacle(.refused): await finished(source, .refused)
        case .obstacle(.fetchFailed): await finished(source, .failed)
        case .obstacle(.late), .obstacle(.timeout), .obstacle(.storeUnavailable), .cancelled:
            failed(source, KeySetFetchProblem("another instance has not finished fetching it"))
            await finished(source, .failed)
        }
    }

    // MARK: The flight's steps

    func lookUp(_ round: KeySetRound, _ source: RemoteKeySource, turn: UInt64) async -> KeySetFlight.Lookup {
        do throws(StoreError) {
            if let found = try await newerSet(of: source) { return .found(found) }
        } catch {
            return store.isAbsent ? .absent : .away
        }
        // Adopted meanwhile from an announcement.
        if round.run.flight.own == nil, let held = entries[source]?.state.held?.set, held != round.known {
            return .found(held)
        }
        return .nothing
    }

    func call(_ round: KeySetRound, _ source: RemoteKeySource, turn: UInt64) async -> KeySetFlight.CallOutcome? {
        if round.purpose == .unknownKey, await !shared.mayFetchForUnknownKey(source.locationText) {
            return .obstacle(.refused)
        }
        guard await mayCall(source, turn: turn) else { return nil }
        // Only with the tag of a set that this process fetched itself: a forged set in the store or on disk would be
        // confirmed for as long as the provider has nothing newer than its tag.
        var known = entries[source]?.received
        // The provider may have moved its keys and updated its metadata.
        if entries[source]?.lastError != nil { known?.discovery = nil }
        do throws(KeySetFetchProblem) {
            let record = try await fetcher.fetch(source, since: known, at: clock.unix())
            let set = try held(record)
            entries[source]?.received = record
            // A withdrawn key is out of use here before the set is announced.
            await finished(source, .fetched(set))
            return .value(set)
        } catch {
            failed(source, error)
            return .obstacle(.fetchFailed)
        }
    }

    func publish(
        _ set: HeldKeySet,
        holding lease: Lease,
        _ round: KeySetRound,
        _ source: RemoteKeySource
    ) async -> KeySetFlight.Publishing {
        let publishing = await shared.publish(set.record, holding: lease)
        if publishing == .done { entries[source]?.isShared = true }
        return publishing
    }

    func finish(_ source: RemoteKeySource, _ ending: KeySetFlight.Ending) {
        guard let round = flights.removeValue(forKey: source) else { return }
        round.run.cancelTasks()
        round.over.resume(returning: (ending, round.run.flight))
    }

    /// Calls need no slots: there is one round a source.
    func requestCallSlot(_ source: RemoteKeySource) -> Bool { true }

    func releaseCallSlot(_ source: RemoteKeySource) {}

    // MARK: The store's set

    /// The set in the store, if it is newer than the present one.
    func newerSet(of source: RemoteKeySource) async throws(StoreError) -> HeldKeySet? {
        let before = entries[source]
        guard let found = try await shared.heldSet(for: source.locationText), isUsable(found.record) else { return nil }
        let held = entries[source]?.state.held?.set.record
        // A set adopted during the read may be newer than what was read.
        guard held == before?.state.held?.set.record else { return nil }
        guard let held else { return found }
        guard found.record != held else { return nil }
        // If the store had ours and has another now, that is newer, whatever the two instances' clocks say. If it never
        // had ours, only the clocks can show.
        let isNewer = before?.isShared == true || found.record.fetchedAt > held.fetchedAt
        return isNewer ? found : nil
    }

    /// Whether the last success is recent enough.
    func isUsable(_ record: KeySetRecord) -> Bool {
        clock.unix() - record.fetchedAt < KeySetState.longestUse
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
