import TestSupport
import Testing
import Time
import Verification

@testable import Adoption
@testable import Tenants

struct AdoptionRecordTests {
    private static let now = AdoptionFixture.now

    private func step(_ record: AdoptionRecord?, at seconds: Double = 0) -> AdoptionStep {
        AdoptionRecord.step(record, accessLifetime: 1800, at: Self.now + seconds)
    }

    private func record(_ state: AdoptionRecord.State, sessions: Int = 0) -> AdoptionRecord {
        AdoptionRecord(state: state, sessions: sessions, keptUntil: Self.now + 5000)
    }

    @Test func unknownSessionIsOpened() {
        #expect(step(nil) == .open(sessions: 0))
    }

    @Test func claimKeepsOthersAwayUntilItRunsOut() {
        let claim = record(.opening(by: "a", until: Self.now + 15))
        #expect(step(claim, at: 14.9) == .wait(until: Self.now + 15))
        #expect(step(claim, at: 15) == .open(sessions: 0))
    }

    @Test func refusalIsAskedAboutAgain() {
        let refused = record(.refused(until: Self.now + 600))
        #expect(step(refused, at: 599) == .wait(until: Self.now + 600))
        #expect(step(refused, at: 600) == .open(sessions: 0))
    }

    /// By then its client would have asked for new tokens.
    @Test func openedSessionIsLookedAtWhenItsAccessTokenHasExpired() {
        let opened = record(.opened(session: "s", at: Self.now), sessions: 1)
        #expect(step(opened, at: 1919) == .nothing(lostFrom: Self.now + 1920))
        #expect(step(opened, at: 1920) == .openIfUnused(session: "s", sessions: 1))
    }

    @Test func thirdSessionIsTheLast() {
        let opened = record(.opened(session: "s", at: Self.now), sessions: 3)
        #expect(step(opened, at: 1e6) == .nothing(lostFrom: nil))
    }

    @Test func recordSurvivesStore() {
        for state: AdoptionRecord.State in [
            .opening(by: "owner", until: Self.now + 15), .refused(until: Self.now + 600),
            .opened(session: "s", at: Self.now),
        ] {
            let written = record(state, sessions: 2)
            #expect(AdoptionRecord(json: written.json) == written)
        }
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"v":1}"#, #"{"v":2,"sessions":0,"kept_until":1,"session":"s","at":1}"#,
        #"{"v":1,"sessions":-1,"kept_until":1,"session":"s","at":1}"#,
        #"{"v":1,"sessions":4,"kept_until":1,"session":"s","at":1}"#,
        #"{"v":1,"sessions":0,"kept_until":1,"session":"s"}"#,
        #"{"v":1,"sessions":0,"kept_until":1,"opening":"s"}"#,
        #"{"v":1,"sessions":0,"kept_until":1,"refused":false,"until":1}"#,
    ])
    func otherBytesAreNoRecord(_ text: String) {
        #expect(AdoptionRecord(json: Array(text.utf8)) == nil)
    }

    @Test func cutRecordsAreNoRecords() {
        var random = SplitMix64(seed: 7)
        let bytes = record(.opening(by: "owner", until: Self.now + 15)).json
        for _ in 0..<2000 {
            var changed = bytes
            for _ in 0...random.below(3) { changed[random.below(changed.count)] = UInt8(random.below(256)) }
            changed.removeLast(random.below(changed.count))
            if let read = AdoptionRecord(json: changed) { #expect((0...3).contains(read.sessions)) }
        }
    }

    @Test func sessionIsRememberedWhileItsTokenLives() throws {
        let tenant = try AdoptionFixture.tenant()
        let token = try AdoptionFixture.principal(["jti": "t"], tenant)
        #expect(AdoptionRecord.keptUntil(token, sessionLifetime: 86_400, leeway: 60, at: Self.now) == Self.now + 675)
        // It is accepted until its leeway is over, and first seen after its expiry.
        let late = Self.now + 620
        #expect(AdoptionRecord.keptUntil(token, sessionLifetime: 86_400, leeway: 60, at: late) == Self.now + 675)
        // Further tokens of this one come.
        let session = try AdoptionFixture.principal(["sid": "s"], tenant)
        #expect(
            AdoptionRecord.keptUntil(session, sessionLifetime: 86_400, leeway: 60, at: Self.now) == Self.now + 86_400
        )
        let lasting = try AdoptionFixture.principal(["exp": 100_000_000_000], tenant)
        #expect(
            AdoptionRecord.keptUntil(lasting, sessionLifetime: 86_400, leeway: 60, at: Self.now) == Self.now + 400
                * 86_400
        )
    }

    @Test func recordIsKeptNoLongerThanNeeded() {
        #expect(record(.opening(by: "a", until: Self.now + 15)).lifetime(at: Self.now) == 15)
        #expect(record(.opening(by: "a", until: Self.now)).lifetime(at: Self.now) == 1)
        #expect(record(.opening(by: "a", until: Self.now), sessions: 1).lifetime(at: Self.now) == 5000)
        #expect(record(.opened(session: "s", at: Self.now), sessions: 1).lifetime(at: Self.now) == 5000)
    }

    /// Whatever happens in whatever order, at most three sessions are opened, and never two within one access token's
    /// lifetime.
    @Test func sessionsAreBoundedInEveryOrder() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<500 {
            var record: AdoptionRecord?
            var time = 0.0
            var openings: [Double] = []
            for _ in 0..<60 {
                time += Double(random.below(1500))
                let sessions: Int
                switch step(record, at: time) {
                case .open(let count), .openIfUnused(_, let count): sessions = count
                case .wait, .nothing: continue
                }
                switch random.below(3) {
                case 0: record = self.record(.opening(by: "x", until: Self.now + time + 15), sessions: sessions)
                case 1: record = self.record(.refused(until: Self.now + time + 600), sessions: sessions)
                default:
                    record = self.record(.opened(session: "s", at: Self.now + time), sessions: sessions + 1)
                    openings.append(time)
                }
            }
            #expect(openings.count <= 3)
            for (earlier, later) in zip(openings, openings.dropFirst()) { #expect(later - earlier >= 1920) }
        }
    }
}
