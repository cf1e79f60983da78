import Testing

@testable import Epoll

@Suite struct SourceTableTests {
    private final class Source: EpollSource {
        func ready(_ events: UInt32) {}
        func resume() {}
        func loopStops() {}
    }

    @Test func sourceIsFoundByItsKeyUntilItIsRemoved() {
        var table = SourceTable()
        let source = Source()
        let key = table.add(source)
        #expect(table[key.value] === source)
        table.remove(key)
        #expect(table[key.value] == nil)
        #expect(table.all.isEmpty)
    }

    @Test func eventOfARemovedSourceFindsNothingInItsSlot() {
        var table = SourceTable()
        let first = table.add(Source())
        table.remove(first)
        let second = table.add(Source())
        #expect(table[first.value] == nil)
        table.remove(first)
        #expect(table[second.value] != nil)
    }

    @Test func unknownKeysFindNothing() {
        #expect(SourceTable()[SourceTable.noSource] == nil)
        #expect(SourceTable()[0] == nil)
    }
}
