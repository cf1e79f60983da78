import Tenants
import TestSupport
import Testing

struct TenantIndexTests {
    @Test func laterIndicesAreGreater() {
        let indices: [TenantIndex] = [0, 1, 7, 400]
        #expect(indices.shuffled().sorted() == indices)
    }

    @Test func arrayIsIndexedByTenant() {
        var counts = [10, 20, 30]
        counts[1 as TenantIndex] += 5
        #expect(counts == [10, 25, 30] && counts[2 as TenantIndex] == 30)
        #expect(counts.tenantIndices == [0, 1, 2])
    }

    /// A change through the subscript must not copy an element that is large.
    @Test func elementIsChangedInPlace() throws {
        var rows = [[1], Array(0..<1000)]
        let before = rows[1].withUnsafeBufferPointer(\.baseAddress)
        rows[1 as TenantIndex][0] = 5
        #expect(rows[1].withUnsafeBufferPointer(\.baseAddress) == before && rows[1][0] == 5)
    }
}
