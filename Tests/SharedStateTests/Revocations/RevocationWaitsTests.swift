import NIOCore
import NIOEmbedded
import Synchronization
import Testing
import Time

@testable import SharedState

@Suite struct RevocationWaitsTests {
    private let loop = EmbeddedEventLoop()

    /// A wait whose end is noted under a name.
    private func promise(_ name: String, _ ended: Ended) -> EventLoopPromise<Void> {
        let promise = loop.makePromise(of: Void.self)
        promise.futureResult.whenSuccess { ended.names.withLock { $0.append(name) } }
        return promise
    }

    private final class Ended: Sendable {
        let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
    }

    @Test func loadEndsTheWaitsForIt() {
        var waits = RevocationWaits()
        let ended = Ended()
        waits.addForLoad(promise("first", ended))
        waits.addForContact(since: .after(1), promise("contact", ended))
        waits.addForLoad(promise("second", ended))
        waits.loaded()
        #expect(ended.all == ["first", "second"])
        waits.contact(at: .after(1))
        #expect(ended.all == ["first", "second", "contact"])
    }

    @Test func contactEndsTheWaitsUpToItsTime() {
        var waits = RevocationWaits()
        let ended = Ended()
        waits.addForContact(since: .after(10), promise("10", ended))
        waits.addForContact(since: .after(20), promise("20", ended))
        waits.addForContact(since: .after(5), promise("5", ended))
        waits.contact(at: .after(10))
        #expect(ended.all == ["10", "5"])
        waits.contact(at: .after(19))
        #expect(ended.all == ["10", "5"])
        waits.contact(at: .after(20))
        #expect(ended.all == ["10", "5", "20"])
    }
}
