import HTTPCore
import Testing

@testable import Gateway

/// One parsed head at a time: what waits for its end, and what shows that it was overwritten.
struct HeadInUseTests {
    @Test func postponedWorkIsTakenOnceAndInItsOrder() {
        var head = HeadInUse()
        var done: [Int] = []
        head.begin()
        for number in 0..<3 { _ = head.postpone { done.append(number) } }
        head.end()
        for work in head.takePostponed() { work() }
        #expect(done == [0, 1, 2])
        #expect(head.takePostponed().isEmpty)
    }

    @Test func onlyTheFirstPostponedWorkAsksForATurnOfTheLoop() {
        var head = HeadInUse()
        let asked = (0..<3).map { _ in head.postpone {} }
        #expect(asked == [true, false, false])
        _ = head.takePostponed()
        #expect(head.postpone {})
    }

    @Test func headIsInUseFromItsBeginToItsEnd() {
        var head = HeadInUse()
        #expect(!head.isInUse)
        head.begin()
        #expect(head.isInUse)
        head.end()
        #expect(!head.isInUse)
    }

    @Test(arguments: ["GET /b HTTP/1.1\r\nHost: b.test\r\n\r\n", "GET /b HTTP/1.1\r\nHost", "nothing\n\n"])
    func stampHoldsUntilAnythingElseIsParsedIntoTheHead(other: String) {
        let parser = RequestHeadParser(maximumBytes: 1024, maximumFields: 10)
        let head = RequestHead()
        #expect(parser.parse(Array("GET /a HTTP/1.1\r\nHost: a.test\r\n\r\n".utf8).span, into: head) == .complete)
        let stamp = HeadStamp(head)
        #expect(stamp.holds(for: head))
        #expect(!HeadStamp().holds(for: head))
        _ = parser.parse(Array(other.utf8).span, into: head)
        #expect(!stamp.holds(for: head))
    }
}
