import Logging
import Store
import Tenants
import Time
import Verification

typealias KeySetFlight = FleetSingleFlight<HeldKeySet, KeySetRound.Obstacle>

/// One round of a source: its single flight, and what comes of that.
struct KeySetRound: FleetFlightEntry {
    enum Obstacle: FleetFlightObstacle {
        case late, timeout, storeUnavailable
        /// Another instance has asked for an unknown key only lately.
        case refused
        case fetchFailed
    }

    var run: FleetFlightRun<HeldKeySet, Obstacle>
    let purpose: KeySetState.Purpose
    /// The set that was held when it began.
    let known: HeldKeySet?
    let over: CheckedContinuation<(KeySetFlight.Ending, KeySetFlight), Never>
}

extension FleetFlightRules {
    /// A set that is fetched twice does no harm: without the store each instance fetches for itself, at once. If the one
    /// who fetched for all has failed, the provider is not to hear from the others one by one. A fetch for an unknown
    /// key has its own limit, and its lease is taken for a moment only to look at that.
    static func fetching(_ purpose: KeySetState.Purpose) -> FleetFlightRules {
        let lease = SharedKeySets.fetchLease
        return FleetFlightRules(
            leaseDuration: lease,
            renewalInterval: lease * 2 / 3,
            patienceWithStore: 0,
            triesWithStore: 1,
            patienceWithHolder: 0,
            goesAlone: true,
            lookInterval: 250_000_000,
            takeOverAfter: purpose == .routine ? lease : 0,
            mostCalls: 1,
            callDuration: 0,
            limit: lease + 500_000_000
        )
    }
}

extension KeySetService {
    /// Returns when the round is over and the others can find what it came to.
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
                advance(source) { $0.look(at: $1) }
            }
        } onCancel: {
            Task { await self.endRound(source) }
        }
        await ended(source, ending, isAlone: flight.isAlone)
        if let lease = flight.lease { await shared.release(lease) }
    }

    private func endRound(_ source: RemoteKeySource) {
        advance(source) { $0.stop(at: $1) }
        flights[source]?.run.cancelTasks()
    }

    private func ended(_ source: RemoteKeySource, _ ending: KeySetFlight.Ending, isAlone: Bool) async {
        switch ending.content {
        case .value(let set):
            // Whoever lost the lease does not write: another may have written what is newer.
            if !ending.isOwn {
                await finished(source, .found(set))
            } else if ending.isUnpublished, isAlone, await shared.publish(set.record) == .done {
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

    func look(_ round: KeySetRound, _ source: RemoteKeySource, turn: UInt64) async -> KeySetFlight.Look {
        do throws(StoreError) {
            if let found = try await news(of: source) { return .found(found) }
        } catch {
            return store.isAbsent ? .absent : .away
        }
        // Adopted in the meantime, when it was announced.
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
        // Only what came from the provider itself is asked about: what was found in the store or on disk may be nobody's
        // set, and would go on being used for as long as the provider said that there is nothing newer than its tag.
        var known = entries[source]?.received
        // The provider may have moved its keys and told so in its metadata.
        if entries[source]?.lastError != nil { known?.discovery = nil }
        do throws(KeySetFetchProblem) {
            let record = try await fetcher.fetch(source, since: known, at: clock.unix())
            let set = try held(record)
            entries[source]?.received = record
            // A withdrawn key is out of use here before others are told.
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

    /// One round a source is all that its provider hears of this instance.
    func askForPlace(_ source: RemoteKeySource) -> Bool { true }

    func leavePlace(_ source: RemoteKeySource) {}

    // MARK: What there is

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
