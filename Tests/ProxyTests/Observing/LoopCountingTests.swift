import Counting
import ProxyTestSupport
import Testing
import Time
import Upstream

@testable import Proxy

/// What a loop counts of requests.
struct LoopCountingTests {
    @Test func onlyWorkAboveThresholdIsStall() throws {
        let worker = try EmbeddedWorker().worker
        let exchange = RequestExchange(worker: worker)
        for length in [0, LoopContext.longestTurn, LoopContext.longestTurn + 1] {
            exchange.workBeganAt = 7
            exchange.endWork(at: .after(7 + length))
        }
        // Nothing began.
        exchange.endWork(at: .after(1 << 40))
        #expect(worker.currentCounters().stalls.counts.reduce(0, +) == 1)
        #expect(worker.currentCounters().stalls.sum == LoopContext.longestTurn + 1)
    }

    @Test func unknownMethodsShareOneLabel() {
        for (text, method) in [
            ("GET", CountedMethod.get), ("HEAD", .head), ("POST", .post), ("PUT", .put), ("PATCH", .patch),
            ("DELETE", .delete), ("OPTIONS", .options), ("get", .other), ("PURGE", .other), ("X", .other),
            ("PROPFIND", .other),
        ] {
            let bytes = Array(text.utf8)
            let counted = CountedMethod(bytes.span, 0..<bytes.count)
            #expect(counted == method)
        }
        #expect(CountedMethod.allCases.filter(\.isSafe).map(\.label) == ["GET", "HEAD", "OPTIONS"])
    }
}
