import NIOEmbedded
import Synchronization
import Tenants
import TestSupport
import Testing
import UpstreamTestSupport

@testable import Authorization

/// Requests of one event loop that must be reported to the store.
struct UnreportedRequestsTests {
    @Test func requestsOfAKeyAreReportedTogether() throws {
        var tenant = try RequestPipeline.tenant()
        tenant.rateLimits = [RateLimit(key: .subject, count: 10, period: .seconds(1), burst: 10, isShared: true)]
        let rule = try #require(RateLimiter.make([tenant], table: ArrivalTable(sets: 16))?.rules[0].first)
        let loop = EmbeddedEventLoop()
        let handed = Mutex<[[UnsettledRequest]]>([])
        let ledger = UnreportedRequests(eventLoop: loop) { requests in handed.withLock { $0.append(requests) } }
        let requests = (0..<40).map { number in
            let subject = LimitSubject("caller-\(number)", of: "https://issuer.test")
            return UnsettledRequest(rule: rule, key: LimitKey(subject, salt: rule.salt), name: subject.name)
        }
        var random = SplitMix64(seed: 5)
        var expected: [SubjectName: Int] = [:]
        for round in 0..<3 {
            for _ in 0..<2000 {
                // A few keys with many requests among many with one.
                let index = random.next() % 4 == 0 ? Int(random.next() % 40) : Int(random.next() % 3)
                ledger.note(requests[index])
                expected[requests[index].name, default: 0] += 1
            }
            #expect(handed.withLock(\.count) == round)
            loop.advanceTime(by: UnreportedRequests.delay)
        }
        let batches = handed.withLock { $0 }
        #expect(batches.count == 3)
        var counted: [SubjectName: Int] = [:]
        for request in batches.joined() { counted[request.name, default: 0] += request.count }
        #expect(counted == expected)
        #expect(batches.allSatisfy { $0.count < 1000 })
    }
}
