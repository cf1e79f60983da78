import Tenants
import TestSupport
import Testing
import Time
import Verification

@testable import Events

/// The state machine of what is sent one after the other.
@Suite struct OutboxStreamTests {
    private static let start = UnixTime(1_800_000_000)
    private static let down = OutboxStream.Result.failed(OutboxFailure(.unreachable), retryAfter: nil)

    private static func stream(_ channel: OutboxChannel = .events, _ messages: OutboxMessage...) -> OutboxStream {
        var stream = OutboxStream(id: "s", channel: channel, tenant: "shop", at: start)
        for message in messages { _ = stream.add(message) }
        return stream
    }

    private static func message(
        _ id: String,
        _ content: OutboxMessage.Content = .event(.revoked),
        after seconds: Double = 0
    ) -> OutboxMessage {
        OutboxMessage(id: id, content: content, createdAt: start + seconds, body: "{}")
    }

    private static func ids(_ stream: OutboxStream) -> [String] { stream.messages.map(\.id) }

    @Test func messagesAreInTheOrderOfTheirTimes() {
        let stream = Self.stream(.events, Self.message("b", after: 2), Self.message("c", after: 3), Self.message("a"))
        #expect(Self.ids(stream) == ["a", "b", "c"])
    }

    @Test func messagesOfOneTimeKeepTheirOrder() {
        #expect(Self.ids(Self.stream(.events, Self.message("b"), Self.message("a"))) == ["b", "a"])
    }

    @Test func nothingGoesBeforeWhatIsUnderWay() {
        var stream = Self.stream(.events, Self.message("sent", after: 5))
        let isClaimed = stream.claim(by: "one", at: Self.start)
        #expect(isClaimed)
        let addition2 = stream.add(Self.message("early"))
        #expect(addition2 == .added)
        #expect(Self.ids(stream) == ["sent", "early"])
    }

    @Test func messageThatWaitsIsNotAddedAgain() {
        var stream = Self.stream(.events, Self.message("a"))
        let addition3 = stream.add(Self.message("a", after: 9))
        #expect(addition3 == .known)
        #expect(Self.ids(stream) == ["a"])
    }

    @Test func claimIsForOneInstanceUntilItRunsOut() {
        var stream = Self.stream(.events, Self.message("a"))
        let isClaimed4 = stream.claim(by: "one", at: Self.start)
        #expect(isClaimed4)
        let isClaimed5 = stream.claim(by: "two", at: Self.start + (OutboxStream.claimDuration - 1))
        #expect(!isClaimed5)
        let isClaimed6 = stream.claim(by: "two", at: Self.start + OutboxStream.claimDuration)
        #expect(isClaimed6)
        stream.release("one")
        #expect(stream.claim?.holder == "two")
        stream.release("two")
        #expect(stream.claim == nil)
    }

    @Test func firstRetryIsWithinFiveSecondsAndNoneTakesMoreThanAnHour() {
        for jitter in [0.0, 0.5, 1] {
            var stream = Self.stream(.events, Self.message("a"))
            var (now, delays) = (Self.start, [Double]())
            for _ in 0..<16 {
                stream.record(Self.down, of: "a", at: now, jitter: jitter)
                delays.append(stream.nextAt - now)
                now = stream.nextAt
            }
            #expect(delays[0] > 0 && delays[0] <= 5)
            #expect(zip(delays, delays.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(delays.max().map { $0 <= 3600 && $0 >= 2700 } == true)
        }
    }

    @Test func receiverThatAsksToWaitIsLeftAloneForAnHourAtMost() {
        for (asked, waited) in [(60, 60.0), (86_400, 3600), (-1, 5), (0, 5)] {
            var stream = Self.stream(.events, Self.message("a"))
            let result = OutboxStream.Result.failed(OutboxFailure(.refused, status: 429), retryAfter: asked)
            stream.record(result, of: "a", at: Self.start, jitter: 1)
            #expect(stream.nextAt - Self.start == waited)
        }
    }

    @Test func nextMessageStartsOver() {
        var stream = Self.stream(.events, Self.message("a"), Self.message("b"))
        stream.record(Self.down, of: "a", at: Self.start, jitter: 1)
        let isClaimed7 = stream.claim(by: "one", at: Self.start)
        #expect(!isClaimed7)
        stream.record(.delivered, of: "a", at: Self.start + 1, jitter: 1)
        #expect(stream.attempts == 0 && stream.failure == nil && stream.nextAt == Self.start + 1)
        #expect(Self.ids(stream) == ["b"])
    }

    @Test func lateResultOfARemovedMessageChangesNothing() {
        var stream = Self.stream(.events, Self.message("b"))
        let before = stream
        stream.record(Self.down, of: "a", at: Self.start, jitter: 1)
        stream.record(.delivered, of: "a", at: Self.start, jitter: 1)
        #expect(stream == before)
    }

    @Test func refreshesGoFirstWhereThereIsNoRoom() {
        var stream = Self.stream(.events)
        for index in 0..<OutboxChannel.events.mostMessages {
            _ = stream.add(Self.message("\(index)", index == 7 ? .event(.refreshed) : .event(.revoked)))
        }
        let addition8 = stream.add(Self.message("end", .event(.signedOut), after: 1))
        #expect(addition8 == .dropped(Self.message("7", .event(.refreshed))))
        #expect(Self.ids(stream).last == "end")
        let last = Self.message("last", .event(.signedOut), after: 2)
        let addition9 = stream.add(last)
        #expect(addition9 == .dropped(last))
    }

    @Test func oldestRefusalGoesButNotOneUnderWay() {
        var stream = Self.stream(.refused)
        for index in 0..<OutboxChannel.refused.mostMessages {
            _ = stream.add(Self.message("\(index)", .event(.refused), after: Double(index)))
        }
        let isClaimed10 = stream.claim(by: "one", at: Self.start + 100)
        #expect(isClaimed10)
        let addition11 = stream.add(Self.message("new", .event(.refused), after: 99))
        #expect(addition11 == .dropped(Self.message("1", .event(.refused), after: 1)))
        stream.release("one")
        let addition12 = stream.add(Self.message("new2", .event(.refused), after: 99))
        #expect(addition12 == .dropped(Self.message("0", .event(.refused))))
    }

    @Test func messagesAreKeptForSevenDaysAndLogoutsForOne() {
        for (channel, days) in [(OutboxChannel.events, 7.0), (.logouts, 1)] {
            var stream = Self.stream(channel, Self.message("a"))
            let expired13 = stream.expire(at: Self.start + (days * 86_400 - 1))
            #expect(expired13.isEmpty)
            let expired14 = stream.expire(at: Self.start + days * 86_400)
            #expect(expired14.map(\.id) == ["a"])
            #expect(stream.isEmpty)
        }
    }

    @Test func recordIsReadAsItWasWritten() throws {
        var stream = Self.stream(.events, Self.message("a"), Self.message("b", .event(.signedIn), after: 0.25))
        stream.record(
            .failed(OutboxFailure(.refused, status: 503), retryAfter: nil),
            of: "a",
            at: Self.start,
            jitter: 0.3
        )
        #expect(try #require(OutboxStream(json: stream.json)) == stream)
        let isClaimed15 = stream.claim(by: "one", at: stream.nextAt)
        #expect(isClaimed15)
        #expect(try #require(OutboxStream(json: stream.json)) == stream)
    }

    @Test func changedRecordsAreNotReadAsAnotherStream() throws {
        var random = SplitMix64(seed: 41)
        var stream = Self.stream(.events, Self.message("a"), Self.message("b"))
        let isClaimed16 = stream.claim(by: "one", at: Self.start)
        #expect(isClaimed16)
        let bytes = stream.json
        for _ in 0..<4000 {
            var changed = bytes
            let index = Int.random(in: 0..<changed.count, using: &random)
            changed[index] = UInt8.random(in: 0...255, using: &random)
            guard let read = OutboxStream(json: changed) else { continue }
            // Whatever is taken for a stream can be written and read again.
            #expect(OutboxStream(json: read.json) == read)
        }
        #expect(OutboxStream(json: Array(bytes.dropLast())) == nil)
        #expect(OutboxStream(json: []) == nil)
    }
}
