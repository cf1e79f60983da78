import Counting
import Tenants
import Testing
import Time

@testable import Proxy

/// One refusal a second is logged for each tenant and reason; the others are counted.
struct ObservedSamplesTests {
    private static let second = ObservedSamples.interval

    @Test func oneSamplePerSecondIsTaken() {
        var samples = ObservedSamples(tenantCount: 1)
        let taken = (0..<5).map { step in samples.take(tenant: 0, .missingToken, at: 10 + step * Self.second / 4) }
        #expect(taken == [0, nil, nil, nil, 3])
        let later = samples.take(tenant: 0, .missingToken, at: .after(100 * Self.second))
        #expect(later == 0)
    }

    @Test func tenantsAndReasonsAreSampledSeparately() {
        var samples = ObservedSamples(tenantCount: 2)
        var taken: [UInt64?] = []
        for tenant in [0, 1] as [TenantIndex] {
            for code in [RefusalCode.missingToken, .insufficientRole, .badRequest] {
                taken.append(samples.take(tenant: tenant, code, at: 1))
            }
        }
        #expect(taken == [0, 0, 0, 0, 0, 0])
        let again = samples.take(tenant: 1, .badRequest, at: 2)
        #expect(again == nil)
    }
}
