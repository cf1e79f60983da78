import Logging
import Store
import Tenants
import Time

/// Tells the store which requests were let through by shared limits, and the table what the store says to it.
///
/// Each instance decides by what it believes of a key's arrival time: what the store last said, and its own requests
/// since. It lets no more than `ahead` of a key through that it has had no answer for. One call is under way at a time,
/// with all keys in it, so that what is let through meanwhile goes with the next.
///
/// **Bound.** In any time t, n instances let at most `burst + rate · t + (n − 1) · ahead` requests of a key through, as
/// long as the store answers. Let V be the arrival time that one counter for all would have, every request counted when
/// it is let through. At any moment x, of the requests let through last by each instance, take the one that was decided
/// by the latest answer of the store, at instance j: that answer D has all requests that the store knew of then. All
/// other requests are j's own since, or of another instance i that the store did not know of yet. When i let its last
/// one through, the last answer it had was no later than D, so that all of its requests that are not in D were
/// unsettled then: at most `ahead`. Hence V is at most D and j's own, which the limit held at `now + burst · interval`,
/// and `(n − 1) · ahead` intervals. Where there was no answer yet each has let at most `ahead` through, which is at
/// most `burst`. V moves on by an interval a request, so that from s to s + t there were at most (V(s + t) − s) / interval.
/// That answers arrive late makes beliefs later, never earlier: the store says how long, not when.
///
/// What is too much is not forgotten: the store adds it, and it is made up for before the next request may come.
actor LimitSettler {
    /// How long an answer may take before each instance goes by its own tallies. Until then a key may be held at
    /// `ahead` requests.
    private static let patience = Duration.milliseconds(250)
    /// Keys in one call.
    private static let page = 2048

    private struct Tally {
        let request: UnsettledRequest
        var count: Int
    }

    private let limiter: RateLimiter
    private let store: any Store
    /// Names, by the tenant's place.
    private var tenants: [String]
    private let logger: Logger
    /// Between two attempts while the store is away.
    private let pause: Duration
    private let now: @Sendable () -> UnixTime
    private var tallies: [StoreKey: Tally] = [:]
    private var work: Task<Void, Never>?
    private var isStopped = false

    init(
        _ limiter: RateLimiter,
        store: any Store,
        tenants: [String],
        logger: Logger,
        pause: Duration = .seconds(1),
        now: @escaping @Sendable () -> UnixTime = Clock.unix
    ) {
        self.limiter = limiter
        self.store = store
        self.tenants = tenants
        self.logger = logger
        self.pause = pause
        self.now = now
    }

    func add(_ requests: [UnsettledRequest]) {
        // A name in the store takes a digest: one for each key and not for each request.
        var merged: [LimitKey: UnsettledRequest] = [:]
        for request in requests {
            merged[request.key, default: request.counted(0)].count += request.count
        }
        for request in merged.values {
            guard !isStopped, !limiter.isAlone.load(ordering: .acquiring) else {
                apply(nil, to: Tally(request: request, count: request.count))
                continue
            }
            tallies[storeKey(request), default: Tally(request: request, count: 0)].count += request.count
        }
        guard work == nil, !tallies.isEmpty else { return }
        work = Task { await settle() }
    }

    /// - Parameter tenants: Their names, by place.
    func adopt(_ tenants: [String]) { self.tenants = tenants }

    func stop() async {
        isStopped = true
        work?.cancel()
        await work?.value
    }

    /// Until there is nothing more to tell.
    private func settle() async {
        while !tallies.isEmpty, !isStopped {
            let batch = tallies
            tallies = [:]
            let entries = Array(batch)
            for start in stride(from: 0, to: entries.count, by: Self.page) {
                let page = Array(entries[start..<min(start + Self.page, entries.count)])
                if await !settle(page.map { ($0.key, $0.value) }) {
                    await waitForStore(page.map { ($0.key, $0.value) })
                }
            }
        }
        work = nil
    }

    private func settle(_ tallies: [(key: StoreKey, tally: Tally)]) async -> Bool {
        let uses = tallies.map { Self.use($0.key, $0.tally) }
        do throws(StoreError) {
            let times = try await store.use(uses, timeout: Self.patience)
            for (tally, time) in zip(tallies, times) { apply(UInt64(clamping: time), to: tally.tally) }
            return true
        } catch {
            // Whether they were counted there is not known. Here they are.
            for tally in tallies { apply(nil, to: tally.tally) }
            if !limiter.isAlone.exchange(true, ordering: .acquiringAndReleasing) {
                logger.warning(
                    "the store cannot be told of requests: each instance holds shared rate limits by itself",
                    metadata: ["reason": "\(error)"]
                )
            }
            return false
        }
    }

    /// Asks for a few keys again and again, until there is an answer.
    private func waitForStore(_ tallies: [(key: StoreKey, tally: Tally)]) async {
        let asked = tallies.prefix(64).map { ($0.key, Tally(request: $0.tally.request, count: 0)) }
        for waiting in self.tallies.values { apply(nil, to: waiting) }
        self.tallies = [:]
        while !isStopped {
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            if await settle(asked) {
                limiter.isAlone.store(false, ordering: .releasing)
                logger.info("the store is told of requests again: shared rate limits hold for all instances")
                return
            }
        }
    }

    private func apply(_ wholeIn: UInt64?, to tally: Tally) {
        limiter.table.settle(
            tally.request.key,
            tally.request.rule.allowance,
            count: UInt64(tally.count),
            wholeIn: wholeIn,
            at: Allowance.microseconds(now())
        )
    }

    /// The same in all instances that have the same limit in the same place among those of its kind. Another rate is
    /// another tally, and so is another limit with the same numbers: its requests are settled for itself.
    private func storeKey(_ request: UnsettledRequest) -> StoreKey {
        let limit = request.rule.limit
        let numbers = "\(request.rule.allowance.interval) \(limit.burst)"
        let text = "\(request.rule.name)\n\(limit.path?.description ?? "")\n\(numbers)\n\(request.name.text)"
        return StoreKey(tenant: tenants[request.rule.tenant], kind: "limit", hashing: text.utf8)
    }

    private static func use(_ key: StoreKey, _ tally: Tally) -> AllowanceUse {
        let allowance = tally.request.rule.allowance
        return AllowanceUse(
            key: key,
            count: tally.count,
            interval: Int64(clamping: allowance.interval),
            most: Int64(clamping: allowance.most)
        )
    }
}
