import Logging
import Store
import Tenants
import TestSupport
import Testing
import Time
import UpstreamTestSupport

@testable import Authorization

/// Reports of shared limits to the store, and limits without the store.
@Suite struct LimitSynchronizerTests {
    private static let now = UnixTime(1_800_000_000)

    private struct Scene {
        let limiter: RateLimiter
        let settler: LimitSynchronizer
        let store: FailingStore
        let rule: LimitRule

        /// - Parameter count: How many limits there are, all of them alike.
        init(_ count: Int = 1) throws {
            var tenant = try RequestPipeline.tenant()
            let limit = RateLimit(key: .subject, count: 1, period: .seconds(3600), burst: 10, isShared: true, ahead: 4)
            tenant.rateLimits = Array(repeating: limit, count: count)
            store = FailingStore()
            limiter = try #require(RateLimiter.make([tenant], table: ArrivalTable(sets: 16)))
            rule = try #require(limiter.rules.first?.first)
            settler = LimitSynchronizer(
                limiter,
                store: store,
                tenants: ["app"],
                logger: Logger(label: "test"),
                pause: .milliseconds(1),
                now: { LimitSynchronizerTests.now }
            )
        }

        /// - Parameter rule: Nil: the first.
        func request(_ name: String, of rule: LimitRule? = nil) -> UnsettledRequest {
            let rule = rule ?? self.rule
            let subject = LimitSubject(name, of: "https://issuer.test")
            return UnsettledRequest(rule: rule, key: LimitKey(subject, salt: rule.salt), name: subject.name)
        }

        /// As a request does it.
        func take(_ request: UnsettledRequest) -> Bool {
            let isReserved = !limiter.isAlone.load(ordering: .acquiring)
            let now = Allowance.microseconds(LimitSynchronizerTests.now)
            return limiter.table.take(request.key, rule.allowance, isReserved: isReserved, at: now) == .taken
        }

        func settled(_ request: UnsettledRequest) async {
            while limiter.table.unsettled(request.key) > 0 { await Task.yield() }
        }
    }

    @Test func settledRequestsAllowFurtherOnes() async throws {
        let scene = try Scene()
        let request = scene.request("alice")
        for _ in 0..<4 { #expect(scene.take(request)) }
        #expect(!scene.take(request))
        await scene.settler.add([request, request.counted(2), request])
        await scene.settled(request)
        #expect(scene.limiter.table.unsettled(request.key) == 0)
        for _ in 0..<4 { #expect(scene.take(request)) }
        await scene.settler.stop()
    }

    @Test func requestsOfOtherInstancesCount() async throws {
        let scene = try Scene()
        let request = scene.request("alice")
        // The same store, another process: its keys are others, their names are not.
        let other = try Scene()
        let theirs = other.request("alice")
        #expect(theirs.name == request.name)
        let settler = LimitSynchronizer(
            other.limiter,
            store: scene.store,
            tenants: ["app"],
            logger: Logger(label: "test"),
            now: { Self.now }
        )
        #expect(other.take(theirs))
        await settler.add(Array(repeating: theirs, count: 9))
        await other.settled(theirs)
        let ours = scene.request("alice")
        #expect(scene.take(ours))
        await scene.settler.add([ours])
        await scene.settled(ours)
        // Ten are gone, of which one was ours.
        #expect(!scene.take(ours))
        await settler.stop()
        await scene.settler.stop()
    }

    /// As where one is only observed: each is settled for itself.
    @Test(.timeLimit(.minutes(1))) func equalLimitsAreCountedSeparately() async throws {
        let scene = try Scene(2)
        let rules = try #require(scene.limiter.rules.first)
        let (first, second) = (scene.request("alice", of: rules[0]), scene.request("alice", of: rules[1]))
        for _ in 0..<3 { #expect(scene.take(first)) }
        #expect(scene.take(second))
        await scene.settler.add([first, second, first, first])
        await scene.settled(first)
        await scene.settled(second)
        let hour: UInt64 = 3_600_000_000
        let now = Allowance.microseconds(Self.now)
        let ahead = [first, second].map { scene.limiter.table.arrival($0.key) - now }
        #expect((2 * hour + 1...3 * hour).contains(ahead[0]))
        #expect((1...hour).contains(ahead[1]))
        await scene.settler.stop()
    }

    @Test func instanceLimitsAloneUntilTheStoreIsBack() async throws {
        let scene = try Scene()
        let request = scene.request("alice")
        scene.store.cut()
        for _ in 0..<4 { #expect(scene.take(request)) }
        await scene.settler.add(Array(repeating: request, count: 4))
        await scene.store.failed()
        while !scene.limiter.isAlone.load(ordering: .acquiring) { await Task.yield() }
        // All that the burst has, and no more.
        for _ in 0..<6 { #expect(scene.take(request)) }
        #expect(!scene.take(request))
        #expect(scene.limiter.table.unsettled(request.key) == 0)
        scene.store.heal()
        while scene.limiter.isAlone.load(ordering: .acquiring) { await Task.yield() }
        let other = scene.request("bob")
        #expect(scene.take(other))
        #expect(scene.limiter.table.unsettled(other.key) == 1)
        await scene.settler.add([other])
        await scene.settled(other)
        await scene.settler.stop()
    }

    @Test func requestsAfterTheStopAreDropped() async throws {
        let scene = try Scene()
        let request = scene.request("alice")
        await scene.settler.stop()
        #expect(scene.take(request))
        await scene.settler.add([request])
        #expect(scene.limiter.table.unsettled(request.key) == 0)
    }
}
