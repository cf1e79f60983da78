import Testing
import Time
import Verification

@testable import AccountDeletion
@testable import IdentityProvider

/// The states of one deletion, without I/O.
struct DeletionTests {
    private static let start = UnixTime(1_800_000_000)

    private static var deletion: Deletion {
        Deletion(id: "AAAAAAAAAAAAAAAAAAAAAA", tenant: "shop", scope: "tenant shop", subject: "u-1", at: start)
    }

    private static func failed(_ reason: DeletionFailure.Reason = .timeout) -> Deletion.Result {
        .failed(DeletionFailure(reason))
    }

    @Test func newDeletionHasEveryStepDueWithTheAccountFirst() {
        #expect(Self.deletion.due(at: Self.start) == [.account, .sessions, .apple, .google, .backend])
        #expect(Self.deletion.nextAt == Self.start)
    }

    @Test func claimKeepsOthersOutUntilItRunsOut() {
        var deletion = Self.deletion
        let end = Self.start + Deletion.claimDuration
        var results = [deletion.claim(by: "a", at: Self.start), deletion.claim(by: "b", at: end - 1)]
        #expect(deletion.nextAt == end)
        results.append(deletion.claim(by: "b", at: end))
        deletion.release(at: Self.start)
        results.append(deletion.claim(by: "a", at: Self.start))
        #expect(results == [true, false, true, true])
    }

    @Test func deletionEndsWithItsLastStep() {
        var deletion = Self.deletion
        for step in Deletion.Step.order {
            deletion.release(at: Self.start)
            #expect(deletion.endedAt == nil)
            deletion.record(step == .apple ? .nothingToDo : .done, of: step, at: Self.start + 1, jitter: 0)
        }
        deletion.release(at: Self.start + 2)
        #expect(deletion.endedAt == Self.start + 2)
        #expect(deletion.steps[.apple] == .nothingToDo)
        #expect(deletion.steps[.google] == .done(at: Self.start + 1))
        #expect(deletion.nextAt == Self.start + 2 + Deletion.retention)
        let isClaimed = deletion.claim(by: "a", at: Self.start + 3)
        #expect(!isClaimed)
        #expect(deletion.due(at: Self.start + 3).isEmpty)
    }

    /// A sign-in that was under way may begin a session after the first look.
    @Test func sessionsStayPendingUntilTheAccountIsGone() {
        var deletion = Self.deletion
        deletion.record(Self.failed(.storeUnavailable), of: .account, at: Self.start, jitter: 1)
        deletion.record(.done, of: .sessions, at: Self.start, jitter: 1)
        #expect(deletion.attempts(at: .sessions)?.nextAt == deletion.attempts(at: .account)?.nextAt)
        deletion.record(.done, of: .account, at: Self.start + 9, jitter: 1)
        #expect(deletion.due(at: Self.start + 9).contains(.sessions))
        deletion.record(.done, of: .sessions, at: Self.start + 9, jitter: 1)
        #expect(deletion.steps[.sessions] == .done(at: Self.start + 9))
    }

    @Test func attemptsComeLaterAndLaterUpToAnHour() {
        var deletion = Self.deletion
        var now = Self.start
        var delays: [Double] = []
        for _ in 0..<14 {
            deletion.record(Self.failed(), of: .apple, at: now, jitter: 1)
            guard let next = deletion.attempts(at: .apple)?.nextAt else { break }
            delays.append(next - now)
            now = next
        }
        #expect(delays.prefix(4) == [5, 10, 20, 40])
        #expect(delays.suffix(3) == [3600, 3600, 3600])
        #expect(deletion.attempts(at: .apple)?.count == 14)
    }

    @Test(arguments: [(-1.0, 3.75), (0, 3.75), (0.5, 4.375), (1, 5), (7, 5)])
    func jitterShortensADelayByAtMostAQuarter(_ jitter: Double, _ delay: Double) {
        var deletion = Self.deletion
        deletion.record(Self.failed(), of: .backend, at: Self.start, jitter: jitter)
        #expect(deletion.attempts(at: .backend)?.nextAt == Self.start + delay)
    }

    @Test func stepThatIsDoneStaysDone() {
        var deletion = Self.deletion
        deletion.record(.done, of: .backend, at: Self.start, jitter: 0)
        deletion.record(Self.failed(), of: .backend, at: Self.start + 1, jitter: 0)
        #expect(deletion.steps[.backend] == .done(at: Self.start))
    }

    @Test func reopenedStepIsDueAgain() {
        var deletion = Self.deletion
        for step in Deletion.Step.order { deletion.record(.done, of: step, at: Self.start, jitter: 0) }
        deletion.release(at: Self.start)
        deletion.reopen(.apple, at: Self.start + 5)
        #expect(deletion.endedAt == nil)
        #expect(deletion.due(at: Self.start + 5) == [.apple])
    }

    /// Whoever carries it out compares the record.
    @Test func reopeningAStepThatIsPendingChangesTheRecord() {
        var deletion = Self.deletion
        deletion.reopen(.apple, at: Self.start)
        #expect(deletion.json != Self.deletion.json)
        #expect(deletion.steps == Self.deletion.steps)
    }

    // MARK: In the store

    private static var variants: [Deletion] {
        var claimed = deletion
        _ = claimed.claim(by: "a", at: start)
        var failed = deletion
        failed.record(.failed(DeletionFailure(.refused, status: 500)), of: .backend, at: start, jitter: 0)
        var ended = deletion
        for step in Deletion.Step.order { ended.record(.done, of: step, at: start, jitter: 0) }
        ended.release(at: start)
        var reopened = ended
        reopened.reopen(.apple, at: start)
        return [deletion, claimed, failed, ended, reopened]
    }

    @Test func recordsAreReadAsWritten() {
        for deletion in Self.variants { #expect(Deletion(json: deletion.json) == deletion) }
    }

    @Test func everyCutOfARecordIsRefused() {
        for deletion in Self.variants {
            let json = deletion.json
            for length in 0..<json.count { #expect(Deletion(json: Array(json.prefix(length))) == nil) }
        }
    }

    @Test(arguments: [
        ("\"v\":1", "\"v\":2"), ("\"sub\":\"u-1\"", "\"sub\":1"), ("\"created\":1800000000", "\"created\":-1"),
        ("\"created\":1800000000", "\"created\":1e300"), ("\"state\":\"pending\"", "\"state\":\"lost\""),
        ("\"attempts\":0", "\"attempts\":-1"), ("\"attempts\":0", "\"attempts\":0.5"), ("\"apple\":{", "\"pear\":{"),
        ("\"steps\":{", "\"ended\":1800000000,\"steps\":{"), ("\"steps\":{", "\"claim\":{},\"steps\":{"),
        ("\"steps\":{", "\"reopenings\":-1,\"steps\":{"),
        ("\"steps\":{", "\"claim\":{\"holder\":\"a\",\"until\":\"soon\"},\"steps\":{"),
    ])
    func hostileRecordIsRefused(_ part: String, _ other: String) {
        let text = String(decoding: Self.deletion.json, as: UTF8.self)
        #expect(text.contains(part))
        #expect(Deletion(json: Array(text.replacing(part, with: other, maxReplacements: 1).utf8)) == nil)
    }

    @Test func receiptShowsStatesAndNobodysSubject() throws {
        var deletion = Self.deletion
        deletion.record(.done, of: .account, at: Self.start, jitter: 0)
        deletion.record(.nothingToDo, of: .google, at: Self.start, jitter: 0)
        let text = JSONWriter.text(of: .object(deletion.receipt))
        #expect(!text.contains("u-1"))
        #expect(!text.contains("shop"))
        let steps = try #require(deletion.receipt["steps"]?.array).compactMap(\.object)
        #expect(steps.map { $0["step"]?.string } == ["sessions", "account", "apple", "google", "backend"])
        #expect(steps.map { $0["state"]?.string } == ["pending", "done", "pending", "nothing_to_do", "pending"])
    }
}
