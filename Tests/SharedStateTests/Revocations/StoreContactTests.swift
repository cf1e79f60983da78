import Testing
import Time

@testable import SharedState

@Suite struct StoreContactTests {
    @Test func firstContactIsDistributed() {
        var contact = StoreContact()
        #expect(!contact.isDue(quiet: 0))
        contact.made(at: .after(10))
        #expect(contact.isDue(quiet: 1_000_000))
        contact.isDistributed()
        #expect(!contact.isDue(quiet: 0))
    }

    @Test func laterContactIsDistributedAfterTheQuietTime() {
        var contact = StoreContact()
        contact.made(at: .after(1000))
        contact.isDistributed()
        contact.made(at: .after(1499))
        #expect(!contact.isDue(quiet: 500))
        #expect(contact.isDue(quiet: 0))
        contact.made(at: .after(1500))
        #expect(contact.isDue(quiet: 500))
        contact.isDistributed()
        #expect(!contact.isDue(quiet: 500))
        #expect(contact.last == .after(1500))
    }

    @Test func distributionBeforeAContactIsNone() {
        var contact = StoreContact()
        contact.isDistributed()
        #expect(contact.last == nil)
        contact.made(at: .after(5))
        #expect(contact.isDue(quiet: 1_000_000))
    }
}
