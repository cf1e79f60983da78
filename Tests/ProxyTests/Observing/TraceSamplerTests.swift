import TestSupport
import Testing
import Time
import Upstream

@testable import Proxy

struct TraceSamplerTests {
    private func parent(_ isSampled: Bool, low: UInt64 = .max) throws -> TraceParent {
        let digits = String(low, radix: 16)
        let trace = "00000000000000aa" + String(repeating: "0", count: 16 - digits.count) + digits
        let text = Array("00-\(trace)-00000000000000bb-\(isSampled ? "01" : "00")".utf8)
        let parent = TraceParent(text.span, 0..<text.count)
        return try #require(parent)
    }

    @Test(arguments: [0, 0.1, 0.5, 0.9, 1])
    func undecidedTracesAreSampledByShare(share: Double) {
        var random = SplitMix64(seed: 8)
        let sampler = TraceSampler(share: share)
        let count = (0..<20_000).count { _ in sampler.samples(traceLow: random.next()) }
        #expect(abs(Double(count) / 20_000 - share) < 0.02)
        if share == 0 { #expect(count == 0) }
        if share == 1 { #expect(count == 20_000) }
    }

    @Test func decisionFollowsTraceIdentifier() {
        let (one, other) = (TraceSampler(share: 0.3), TraceSampler(share: 0.3))
        for low in stride(from: 0, to: UInt64(1) << 60, by: 1 << 51) {
            #expect(one.samples(traceLow: low) == other.samples(traceLow: low))
            #expect(one.samples(traceLow: low) == one.samples(traceLow: low | 0xab << 56))
        }
    }

    @Test func trustedProxyDecisionIsFollowed() throws {
        var none = TraceSampler(share: 0)
        let (wanted, unwanted) = (try parent(true), try parent(false))
        let count = (0..<1000).count { _ in none.samples(wanted, isTrusted: true, at: 1, draw: .max) }
        #expect(count == 1000)
        var all = TraceSampler(share: 1)
        for isTrusted in [true, false] {
            let isSampled = all.samples(unwanted, isTrusted: isTrusted, at: 1, draw: 0)
            #expect(!isSampled)
        }
    }

    @Test func untrustedDecisionsAreRateLimited() throws {
        var sampler = TraceSampler(share: 0)
        let wanted = try parent(true)
        for second in 5..<8 {
            let now = MonotonicTime.after(UInt64(second) * 1_000_000_000)
            let count = (0..<500).count {
                sampler.samples(wanted, isTrusted: false, at: now + UInt64($0), draw: 0)
            }
            #expect(count == TraceSampler.mostAskedFor)
        }
    }

    @Test func shareDecidesBeyondUntrustedLimit() throws {
        var half = TraceSampler(share: 0.5)
        let (low, high) = (try parent(true, low: 1), try parent(true))
        for _ in 0..<TraceSampler.mostAskedFor { _ = half.samples(high, isTrusted: false, at: 1, draw: .max) }
        let isLowSampled = half.samples(low, isTrusted: false, at: 1, draw: .max)
        let isHighSampled = half.samples(high, isTrusted: false, at: 1, draw: 0)
        #expect(!isLowSampled && isHighSampled)
        var random = SplitMix64(seed: 20)
        let count = (0..<20_000).count { _ in half.samples(low, isTrusted: false, at: 1, draw: random.next()) }
        #expect(abs(Double(count) / 20_000 - 0.5) < 0.02)
    }
}
