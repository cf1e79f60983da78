import Logging
import Store
import Tenants
import Time

/// Reports requests that shared limits allowed to the store, and enters the store's results into the table.
///
/// Each instance decides by its belief about a key's arrival time: the store's last result, and its own requests since.
/// It allows at most `ahead` requests of a key without a result. One call is under way at a time, with all keys in it;
/// requests that are allowed meanwhile go with the next.
///
/// **Bound.** In any time t, n instances allow at most `burst + rate · t + (n − 1) · ahead` requests of a key, as long
/// as the store responds. Let V be the arrival time of a single counter for all instances, with every request counted
/// when it is allowed. At any moment x, consider the last request that each instance allowed, and of these the one that
/// was decided by the latest result D of the store, at instance j. D includes all requests that the store knew of then.
/// All other requests are j's own since, or those of another instance i that the store did not know of yet. When i
/// allowed its last one, its last result was no later than D, so all of its requests that are not in D were unsettled
/// then: at most `ahead`. Hence V is at most D and j's own, which the limit held at `now + burst · interval`, and `(n −
/// 1) · ahead` intervals. Before the first result each instance has allowed at most `ahead`, which is at most `burst`.
/// V moves on by an interval per request, so from s to s + t there were at most (V(s + t) − s) / interval. Late results
/// make beliefs later, never earlier: the store returns a duration, not a time.
///
/// Excess requests are not forgotten: the store adds them, and the next request is allowed only after they are made up
/// for.
actor LimitSynchronizer {
    /// How long to wait for a result before each instance goes by its own counts. Until then a key may be held at
    /// `ahead` requests.
    private static let timeout = Duration.milliseconds(250)
    /// Keys per call.
    private static let page = 2048

    private struct Tally {
        let request: UnsettledRequest
        var count: Int
    }

    private let limiter: RateLimiter
    private let store: any Store
    /// Names, by tenant index.
    private var tenants: [String]
    private let logger: Logger
    /// Between two attempts while the store is unavailable.
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
        // A name in the store needs a digest: compute one per key and not per request.
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

    /// - Parameter tenants: Their names, by tenant index.
    func adopt(_ tenants: [String]) { self.tenants = tenants }

    func stop() async {
        isStopped = true
        work?.cancel()
        await work?.value
    }

    /// Until there is nothing more to report.
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
            let times = try await store.use(uses, timeout: Self.timeout)
            for (tally, time) in zip(tallies, times) { apply(UInt64(clamping: time), to: tally.tally) }
            return true
        } catch {
            // It is unknown whether the store counted them. Count them here.
            for tally in tallies { apply(nil, to: tally.tally) }
            if !limiter.isAlone.exchange(true, ordering: .acquiringAndReleasing) {
                logger.warning(
                    "requests cannot be counted in the store: each instance enforces shared rate limits by itself",
                    metadata: ["reason": "\(error)"]
                )
            }
            return false
        }
    }

    /// Repeats a few keys until there is a result.
    private func waitForStore(_ tallies: [(key: StoreKey, tally: Tally)]) async {
        let repeated = tallies.prefix(64).map { ($0.key, Tally(request: $0.tally.request, count: 0)) }
        for waiting in self.tallies.values { apply(nil, to: waiting) }
        self.tallies = [:]
        while !isStopped {
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            if await settle(repeated) {
                limiter.isAlone.store(false, ordering: .releasing)
                logger.info("requests are counted in the store again: shared rate limits hold for all instances")
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

    /// The same in all instances that have the same limit at the same index among those of its kind. A limit with
    /// another rate has another count, as has a second limit with the same numbers: its requests are settled
    /// separately.
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
