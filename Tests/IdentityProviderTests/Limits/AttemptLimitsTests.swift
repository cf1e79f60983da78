import TestSupport
import Testing
import Time

@testable import IdentityProvider

struct AttemptLimitsTests {
    private let slow = AttemptLimit(name: "slow", perSecond: 1, burst: 10)
    private let start = UnixTime(1_800_000_000)

    @Test func burstPassesThenRateApplies() {
        let limits = AttemptLimits()
        for remaining in (0..<10).reversed() {
            #expect(limits.admit([1], slow, at: start) == .admitted(remaining: remaining))
        }
        #expect(limits.admit([1], slow, at: start) == .refused(retryAfterSeconds: 1))
        #expect(limits.admit([1], slow, at: start + 0.5) == .refused(retryAfterSeconds: 1))
        #expect(limits.admit([1], slow, at: start + 1) == .admitted(remaining: 0))
        #expect(limits.admit([1], slow, at: start + 1.999) == .refused(retryAfterSeconds: 1))
        #expect(limits.admit([1], slow, at: start + 3.5) == .admitted(remaining: 1))
        #expect(limits.admit([1], slow, at: start + 1000) == .admitted(remaining: 9))
    }

    @Test func checkCountsNothing() {
        let limits = AttemptLimits()
        for _ in 0..<20 { #expect(limits.check([1], slow, at: start) == .admitted(remaining: 9)) }
        for _ in 0..<10 { _ = limits.admit([1], slow, at: start) }
        #expect(limits.check([1], slow, at: start) == .refused(retryAfterSeconds: 1))
        #expect(limits.admit([1], slow, at: start + 1) == .admitted(remaining: 0))
    }

    @Test func keysAndLimitsAreCountedSeparately() {
        let limits = AttemptLimits()
        let other = AttemptLimit(name: "other", perSecond: 1, burst: 10)
        let long = [UInt8](repeating: 7, count: 33)
        for key in [[], [0], [1], long, long + [0]] {
            #expect(limits.admit(key, slow, at: start) == .admitted(remaining: 9))
            #expect(limits.admit(key, other, at: start) == .admitted(remaining: 9))
            #expect(limits.admit(key, slow, at: start) == .admitted(remaining: 8))
        }
    }

    @Test func clockSetBackWaitsAtMostOneInterval() {
        let limits = AttemptLimits()
        for _ in 0..<10 { _ = limits.admit([1], slow, at: start) }
        #expect(limits.admit([1], slow, at: start - 86_400) == .refused(retryAfterSeconds: 1))
        #expect(limits.admit([1], slow, at: start - 86_400 + 1) == .admitted(remaining: 0))
        for now in [Double.nan, .infinity, -.infinity, -1, 1e300] {
            _ = limits.admit([2], slow, at: UnixTime(now))
        }
    }

    @Test func limitsAreClamped() {
        let limit = AttemptLimit(name: "odd", perSecond: .max, burst: .max)
        #expect(limit.perSecond == 1_000_000 && limit.burst == 1_000_000)
        #expect(AttemptLimits().admit([], limit, at: 0) == .admitted(remaining: 999_999))
        let least = AttemptLimit(name: "odd", perSecond: -1, burst: 0)
        #expect(AttemptLimits().admit([], least, at: 0) == .admitted(remaining: 0))
    }

    /// Against a token bucket that fills by one per interval.
    @Test(arguments: [
        (AttemptLimit.exchanges, 0.004), (.pages, 0.01), (.wrongSecrets, 0.5),
        (AttemptLimit(name: "one", perSecond: 1000, burst: 1), 0.0007),
    ])
    func decisionsMatchTokenBucketModel(_ limit: AttemptLimit, _ pause: Double) {
        var random = SplitMix64(seed: UInt64(limit.burst))
        let limits = AttemptLimits()
        let interval = 1_000_000 / limit.perSecond
        // In parts of an interval: what one attempt costs.
        var level = limit.burst * interval
        var now = 1_800_000_000_000_000
        var admitted = 0
        for _ in 0..<5000 {
            let wide = random.next() % 50 == 0 ? 400.0 : 2
            let step = Int(Double.random(in: 0...(pause * wide), using: &random) * 1e6)
            now += step
            level = min(limit.burst * interval, level + step)
            let answer = limits.admit([9], limit, at: UnixTime(Double(now) / 1e6))
            if level >= interval {
                level -= interval
                admitted += 1
                #expect(answer == .admitted(remaining: level / interval))
            } else {
                let seconds = (interval - level + 999_999) / 1_000_000
                #expect(answer == .refused(retryAfterSeconds: seconds))
            }
        }
        #expect(admitted > 500 && admitted < 5000)
    }

    @Test func floodEvictsItsOwnKeysAndMemoryIsBounded() {
        var table = AttemptTable(capacity: 256)
        let victim = AttemptKey(slow, [1])
        for _ in 0..<20 { _ = table.admit(victim, slow, at: 0) }
        for number in 0..<100_000 {
            let key = AttemptKey(slow, [2] + withUnsafeBytes(of: UInt32(number)) { Array($0) })
            #expect(table.admit(key, slow, at: 0) == .admitted(remaining: 9))
        }
        #expect(table.count == 256)
        #expect(table.check(victim, slow, at: 0) == .refused(retryAfterSeconds: 1))
    }

    @Test func fullestAllowanceIsEvictedFirst() {
        var table = AttemptTable(capacity: 4)
        let fast = AttemptLimit(name: "fast", perSecond: 1000, burst: 10)
        for number in 0..<3 as Range<UInt8> {
            for _ in 0..<10 { _ = table.admit(AttemptKey(slow, [number]), slow, at: 0) }
        }
        _ = table.admit(AttemptKey(fast, [9]), fast, at: 0)
        _ = table.admit(AttemptKey(slow, [8]), slow, at: 500_000)
        #expect(table.check(AttemptKey(fast, [9]), fast, at: 500_000) == .admitted(remaining: 9))
        for number in 0..<3 as Range<UInt8> {
            #expect(table.check(AttemptKey(slow, [number]), slow, at: 500_000) == .refused(retryAfterSeconds: 1))
        }
    }

    @Test func addressesOfOneSubscriberShareKey() {
        let prefix: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 2]
        let one = AttemptLimits.key(address: prefix + [0, 0, 0, 0, 0, 0, 0, 1])
        #expect(one == AttemptLimits.key(address: prefix + [9, 9, 9, 9, 9, 9, 9, 9]))
        #expect(one != AttemptLimits.key(address: [0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1]))
        #expect(AttemptLimits.key(address: [192, 0, 2, 1]) != AttemptLimits.key(address: [192, 0, 2, 2]))
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1]
        #expect(AttemptLimits.key(address: mapped) == [192, 0, 2, 1])
        #expect(AttemptLimits.key(address: []) == [])
    }

    private static func address(_ network: UInt8, _ subnet: UInt16) -> [UInt8] {
        [0x20, 0x01, 0x0D, 0xB8, 0, network, UInt8(subnet >> 8), UInt8(subnet & 0xFF)] + [UInt8](repeating: 1, count: 8)
    }

    /// A site has 65,536 networks of 64 bits.
    @Test func networkOfManySubnetsHasALimitOfItsOwn() {
        let limits = AttemptLimits()
        let network = AttemptLimit(name: "network", perSecond: 1, burst: 80)
        func admit(_ address: [UInt8], at now: UnixTime) -> AttemptDecision {
            limits.admit(address: address, slow, network: network, at: now)
        }
        // What a subnet was refused is not counted for the network.
        for subnet in 0..<8 as Range<UInt16> {
            for remaining in (0..<10).reversed() {
                #expect(admit(Self.address(1, subnet), at: start) == .admitted(remaining: remaining))
            }
            for _ in 0..<5 { #expect(admit(Self.address(1, subnet), at: start) == .refused(retryAfterSeconds: 1)) }
        }
        for _ in 0..<20 { #expect(admit(Self.address(1, 9), at: start) == .refused(retryAfterSeconds: 1)) }
        #expect(admit(Self.address(2, 9), at: start) == .admitted(remaining: 9))
        // Nor the other way round.
        #expect(admit(Self.address(1, 9), at: start + 1) == .admitted(remaining: 9))
        // IPv4 has no such networks.
        for last in 0..<20 as Range<UInt8> {
            for _ in 0..<10 { _ = admit([192, 0, 2, last], at: start) }
            #expect(admit([192, 0, 2, last], at: start) == .refused(retryAfterSeconds: 1))
        }
        #expect(admit([192, 0, 2, 200], at: start) == .admitted(remaining: 9))
    }

    @Test func concurrentAttemptsAreCountedOnce() async {
        let limits = AttemptLimits()
        let start = start
        let admitted = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    if case .admitted = limits.admit([1], .exchanges, at: start) { true } else { false }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(admitted == 200)
    }
}
