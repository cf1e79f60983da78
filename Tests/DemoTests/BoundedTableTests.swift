import Testing

@testable import Demo

struct BoundedTableTests {
    @Test func oldestEntryGoesWhenTheTableIsFull() {
        var table = BoundedTable<Int, String>(capacity: 2)
        table.set("a", for: 1)
        table.set("b", for: 2)
        table.set("a again", for: 1)
        table.set("c", for: 3)
        #expect(table[1] == nil)
        #expect(table[2] == "b")
        table.set("d", for: 4)
        #expect(table[2] == nil)
        #expect(table[3] == "c")
        #expect(table[4] == "d")
    }
}
