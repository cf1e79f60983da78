import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider

/// A list as bytes.
struct SessionListRecordTests {
    private func list(_ times: [UnixTime]) -> SessionList {
        var list = SessionList()
        for time in times {
            let opening = SessionOpening(subject: "alice")
            list.add(IssuerSession.start(opening, .chat, at: time).session)
        }
        return list
    }

    @Test func listRoundTrips() {
        let list = list([1000.125, 2000, 1500.5])
        #expect(SessionList(json: list.json) == list)
        #expect(list.entries.map(\.createdAt) == [1000.125, 1500.5, 2000])
        #expect(SessionList(json: SessionList().json) == SessionList())
    }

    @Test func sessionIsListedOnce() {
        var list = SessionList()
        let session = IssuerSession.start(SessionOpening(subject: "alice"), .chat, at: 1000).session
        list.add(session)
        list.add(session)
        #expect(list.entries.count == 1)
        list.remove([session.id])
        #expect(list == SessionList())
    }

    @Test func invalidListIsRejected() {
        let json = list([1, 2, 3]).json
        for count in 0..<json.count { #expect(SessionList(json: Array(json.prefix(count))) == nil) }
        var random = SplitMix64(seed: 21)
        for _ in 0..<3000 {
            var changed = json
            changed[Int.random(in: 0..<json.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            if let list = SessionList(json: changed) { #expect(SessionList(json: list.json) == list) }
        }
    }
}
