import Testing

@testable import Upstream

struct LeasedStreamsTests {
    @Test func onlyLeasedStreamsEnd() {
        var streams = LeasedStreams()
        let before = streams.end(nil)
        streams.lease()
        let first = streams.end(nil)
        let second = streams.end(nil)
        #expect([before, first, second] == [false, true, false] && streams.isEmpty)
    }
}
