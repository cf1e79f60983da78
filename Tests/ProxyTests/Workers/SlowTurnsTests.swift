import Tenants
import TestSupport
import Testing

@testable import Proxy

/// Which signature check is next.
struct SlowTurnsTests {
    private final class Check {
        let tenant: TenantIndex

        init(_ tenant: TenantIndex) { self.tenant = tenant }
    }

    private static let most = SlowTurns<Check>.mostUnderWay

    @Test func checkOfAnotherPrecedesSecondOfFlood() {
        var turns = SlowTurns<Check>()
        let begun = (0..<500).compactMap { _ in turns.add(Check(0), ofTenant: 0) }
        #expect(begun.count == Self.most)
        let isBegun = turns.add(Check(1), ofTenant: 1) != nil
        #expect(!isBegun)
        let order = (0..<3).compactMap { _ in turns.isDone()?.tenant }
        #expect(order == [0, 1, 0])
    }

    /// With random arrivals and ends: the limit holds, each begins once, and none is left.
    @Test func everyCheckStartsOnce() {
        var random = SplitMix64(seed: 23)
        for _ in 0..<100 {
            var turns = SlowTurns<Check>()
            var begun: Set<ObjectIdentifier> = []
            var all: [Check] = []
            var underWay = 0
            let begin = { (check: Check?) in
                guard let check else { return }
                #expect(begun.insert(ObjectIdentifier(check)).inserted)
                underWay += 1
            }
            for _ in 0..<200 {
                if random.below(3) > 0 || underWay == 0 {
                    let check = Check(TenantIndex(random.below(4)))
                    all.append(check)
                    begin(turns.add(check, ofTenant: check.tenant))
                } else {
                    underWay -= 1
                    begin(turns.isDone())
                }
                #expect(underWay == min(Self.most, underWay + all.count - begun.count))
            }
            while underWay > 0 {
                underWay -= 1
                begin(turns.isDone())
            }
            #expect(begun.count == all.count)
        }
    }
}
