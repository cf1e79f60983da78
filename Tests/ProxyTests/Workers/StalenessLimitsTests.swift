import TestSupport
import Testing

@testable import Proxy

struct StalenessLimitsTests {
    @Test func firstLookIsAlwaysAnother() {
        var limits = StalenessLimits()
        #expect(limits.isOther(age: 0) == true)
        #expect(limits.isOther(age: 0) == false)
    }

    @Test(arguments: [(UInt64(10), false), (11, true), (20, true), (21, true)])
    func ageIsAnotherOnceItExceedsALimit(age: UInt64, isOther: Bool) {
        var limits = StalenessLimits()
        limits.add(20)
        limits.add(10)
        _ = limits.isOther(age: 5)
        #expect(limits.isOther(age: age) == isOther)
        #expect(limits.isOther(age: age) == false)
    }

    @Test func everyLimitIsExceededWithoutAContact() {
        var limits = StalenessLimits()
        limits.add(10)
        #expect(limits.isOther(age: nil) == true)
        #expect(limits.isOther(age: 11) == false)
        #expect(limits.isOther(age: 10) == true)
    }

    @Test func newLimitCallsForALook() {
        var limits = StalenessLimits()
        limits.add(10)
        _ = limits.isOther(age: 5)
        limits.add(10)
        #expect(limits.isOther(age: 5) == false)
        limits.add(30)
        #expect(limits.isOther(age: 5) == true)
    }

    /// Against going through all limits.
    @Test func looksAgreeWithASearchOfAllLimits() {
        var random = SplitMix64(seed: 22)
        var limits = StalenessLimits()
        var all: Set<UInt64> = []
        var before: Set<UInt64>?
        for _ in 0..<2000 {
            if Int.random(in: 0..<20, using: &random) == 0 {
                let limit = UInt64.random(in: 0..<100, using: &random)
                limits.add(limit)
                if all.insert(limit).inserted { before = nil }
            }
            let age = Bool.random(using: &random) ? UInt64.random(in: 0..<110, using: &random) : nil
            let exceeded = all.filter { limit in age.map { $0 > limit } ?? true }
            #expect(limits.isOther(age: age) == (exceeded != before))
            before = exceeded
        }
    }
}
