import Authorization
import Counting
import ProxyTestSupport
import TestSupport
import Testing
import Time
import UpstreamTestSupport

@testable import Proxy

/// The last refusals of a loop.
struct RecentRefusalsTests {
    private let served: ServedTenant

    init() throws {
        served = try EmbeddedWorker().worker.serving.tenants[0]
    }

    private func record(_ path: String, query: String = "", ofTenant: Bool = true) -> ExchangeRecord {
        var record = ExchangeRecord(startedAt: 0, id: RequestPipeline.requestID)
        record.tenant = ofTenant ? served : nil
        record.request.method = .get
        record.request.logFragment = AccessLogLines.fragment(
            tenant: "app",
            method: Array("GET".utf8).span,
            path: Array(path.utf8).span,
            query: Array(query.utf8)
        )
        record.response.status = 401
        record.reason = "this path needs a token and none was sent"
        return record
    }

    @Test func refusalHasWhatIsKnownOfIt() throws {
        var refusals = RecentRefusals()
        var observed = record("/a\"b", query: "?token=secret")
        observed.isObserved = true
        observed.client.address = Array("192.0.2.9".utf8)
        refusals.add(observed, .missingToken, peer: try RequestPipeline.peer(), at: 5)
        #expect(
            refusals.latest(ofTenant: nil) == [
                RecentRefusal(
                    time: 5,
                    requestID: "\(RequestPipeline.requestID.text)",
                    tenant: "app",
                    method: "GET",
                    path: "/a\"b",
                    isPathCut: false,
                    status: 401,
                    code: .missingToken,
                    reason: "this path needs a token and none was sent",
                    isObserved: true,
                    client: "192.0.2.9"
                )
            ]
        )
    }

    @Test func unreadRequestHasNeitherMethodNorPath() throws {
        var refusals = RecentRefusals()
        var unread = ExchangeRecord(startedAt: 0, id: RequestPipeline.requestID)
        unread.response.status = 400
        refusals.add(unread, .badRequest, peer: try RequestPipeline.peer("203.0.113.7"), at: 5)
        let refusal = try #require(refusals.latest(ofTenant: nil).first)
        #expect(refusal.method == nil && refusal.path == nil && refusal.tenant == nil)
        #expect(refusal.reason == "The request is malformed")
        #expect(refusal.client == "203.0.113.7")
    }

    @Test func longPathIsCutAtWholeCharacter() throws {
        let peer = try RequestPipeline.peer()
        for length in 0..<8 {
            var refusals = RecentRefusals()
            // Each quote takes two bytes, the control character six.
            let start = "/" + String(repeating: "a", count: RecentRefusals.longestPath - length)
            refusals.add(record(start + "\"\u{1}\""), .missingToken, peer: peer, at: 5)
            let refusal = try #require(refusals.latest(ofTenant: nil).first)
            let path = try #require(refusal.path)
            #expect((start + "\"\u{1}\"").hasPrefix(path) && path.utf8.count >= start.utf8.count - 1, "\(length)")
            #expect(refusal.isPathCut)
        }
    }

    @Test func onlyOneTenantIsListed() throws {
        var refusals = RecentRefusals()
        let peer = try RequestPipeline.peer()
        refusals.add(record("/1"), .missingToken, peer: peer, at: 1)
        refusals.add(record("/2", ofTenant: false), .unknownHost, peer: peer, at: 2)
        #expect(refusals.latest(ofTenant: "app").map(\.path) == ["/1"])
        #expect(refusals.latest(ofTenant: nil).map(\.path) == ["/2", "/1"])
        #expect(refusals.latest(ofTenant: "other") == [])
    }

    @Test func onlySoManyOfOneSecondAreTaken() {
        var refusals = RecentRefusals()
        let second: UInt64 = 1_000_000_000
        let flood = (0..<100).filter { refusals.take(at: MonotonicTime(nanoseconds: 7 * second + $0 * 1000)) }
        #expect(flood == Array(0..<UInt64(RecentRefusals.mostInSecond)))
        let next = refusals.take(at: MonotonicTime(nanoseconds: 8 * second))
        #expect(next)
        // Of a request that began before: it counts for the current second.
        let late = (0..<100).count { _ in refusals.take(at: MonotonicTime(nanoseconds: 7 * second)) }
        #expect(late == RecentRefusals.mostInSecond - 1)
    }

    /// Against a list that just drops its first.
    @Test func ringKeepsTheLastOfAnySequence() throws {
        var random = SplitMix64(seed: 20)
        let peer = try RequestPipeline.peer()
        for _ in 0..<20 {
            var refusals = RecentRefusals()
            var model: [(path: String, code: RefusalCode)] = []
            for step in 0..<random.below(4 * RecentRefusals.capacity) {
                let path = "/" + String(repeating: "x", count: random.below(2 * RecentRefusals.longestPath)) + "\(step)"
                let code = random.pick(RefusalCode.allCases)
                refusals.add(record(path), code, peer: peer, at: UnixTime(Double(step)))
                model.append((path, code))
                if model.count > RecentRefusals.capacity { model.removeFirst() }
                // Reading does not disturb it.
                if random.below(16) == 0 { _ = refusals.latest(ofTenant: nil) }
            }
            let latest = refusals.latest(ofTenant: nil)
            #expect(latest.map(\.code) == model.reversed().map(\.code))
            #expect(
                latest.map(\.path) == model.reversed().map { String($0.path.prefix(RecentRefusals.longestPath)) }
            )
            #expect(latest.map(\.isPathCut) == model.reversed().map { $0.path.count > RecentRefusals.longestPath })
        }
    }
}
