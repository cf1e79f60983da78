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
        #expect(addition2 == .added(Displaced()))
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
            let content: OutboxMessage.Content = index == 7 ? .event(.refreshed) : .event(.revoked)
            _ = stream.add(Self.message("\(index)", content))
        }
        let addition8 = stream.add(Self.message("end", .event(.signedOut), after: 1))
        #expect(addition8 == .added(Displaced(dropped: [Self.message("7", .event(.refreshed))])))
        #expect(Self.ids(stream).last == "end")
        let last = Self.message("last", .event(.signedOut), after: 2)
        let addition9 = stream.add(last)
        #expect(addition9 == .added(Displaced(dropped: [last])))
    }

    /// First what says least, and the ends of sessions and accounts last.
    @Test func messagesGoInTheOrderOfTheirImportance() {
        let types: [EventType] = [.signedIn, .refused, .refreshed, .linked, .refused]
        var stream = Self.stream(.events)
        for (index, type) in types.enumerated() { _ = stream.add(Self.message("\(index)", .event(type))) }
        var (dropped, number) = ([String](), 0)
        while dropped.count < 6 {
            number += 1
            guard
                case .added(let displaced) = stream.add(
                    Self.message("end \(number)", .event(.deleted), after: Double(number))
                )
            else { continue }
            dropped += displaced.dropped.map(\.id)
        }
        #expect(dropped == ["1", "4", "2", "3", "0", "end \(number)"])
        #expect(stream.messages.count == OutboxChannel.events.mostMessages)
    }

    @Test func onlyTheLatestRefreshWaits() {
        let refreshes = (0..<4).map { Self.message("r\($0)", .event(.refreshed), after: Double($0)) }
        var stream = Self.stream(.events, Self.message("in", .event(.signedIn)), refreshes[1])
        let later = stream.add(refreshes[2])
        #expect(later == .added(Displaced(replaced: [refreshes[1]])))
        // One that was slow to arrive is no news.
        let earlier = stream.add(refreshes[0])
        #expect(earlier == .added(Displaced(replaced: [refreshes[0]])))
        #expect(Self.ids(stream) == ["in", "r2"])
        // The one that may be under way stays, since the receiver may have it.
        stream.record(.delivered, of: "in", at: Self.start, jitter: 1)
        let isClaimed = stream.claim(by: "one", at: Self.start)
        #expect(isClaimed)
        let next = stream.add(refreshes[3])
        #expect(next == .added(Displaced()))
        #expect(Self.ids(stream) == ["r2", "r3"])
    }

    @Test func bytesHaveABoundToo() {
        func large(_ id: String, _ type: EventType, after seconds: Double) -> OutboxMessage {
            let body = String(repeating: "x", count: 2000)
            return OutboxMessage(id: id, content: .event(type), createdAt: Self.start + seconds, body: body)
        }
        var stream = Self.stream(.events, large("in", .signedIn, after: 0), large("refreshed", .refreshed, after: 1))
        var dropped: [String] = []
        for number in 0..<4 {
            let addition = stream.add(large("\(number)", .revoked, after: 2 + Double(number)))
            if case .added(let displaced) = addition { dropped += displaced.dropped.map(\.id) }
        }
        #expect(dropped == ["refreshed", "in", "3"])
        #expect(stream.json.count < 9000)
        // One that is longer than all that there is room for is not kept at all.
        let body = String(repeating: "x", count: OutboxChannel.events.mostBytes)
        let endless = OutboxMessage(id: "endless", content: .event(.revoked), createdAt: Self.start, body: body)
        #expect(Self.stream(.events, endless).isEmpty)
    }

    /// As docs/operations.md says it.
    @Test func fullRecordTakesTwelveKilobytes() {
        var stream = Self.stream(.events)
        for number in 0..<64 {
            let body = #"{"id":"evt_0YEhPbRCkGvn2rXyC4LJlg","type":"revoked","reason":"\#(number) and a long one: "}"#
            let message = OutboxMessage(
                id: "evt_\(number)-YEhPbRCkGvn2rXyC4",
                content: .event(.revoked),
                createdAt: Self.start + Double(number),
                body: body + String(repeating: "\"", count: 80)
            )
            _ = stream.add(message)
        }
        #expect(stream.messages.count == OutboxChannel.events.mostMessages)
        #expect(stream.json.count < 14_000)
    }

    @Test func oldestRefusalGoesButNotOneUnderWay() {
        var stream = Self.stream(.refused)
        for index in 0..<OutboxChannel.refused.mostMessages {
            _ = stream.add(Self.message("\(index)", .event(.refused), after: Double(index)))
        }
        let isClaimed10 = stream.claim(by: "one", at: Self.start + 100)
        #expect(isClaimed10)
        let addition11 = stream.add(Self.message("new", .event(.refused), after: 99))
        #expect(addition11 == .added(Displaced(dropped: [Self.message("1", .event(.refused), after: 1)])))
        stream.release("one")
        let addition12 = stream.add(Self.message("new2", .event(.refused), after: 99))
        #expect(addition12 == .added(Displaced(dropped: [Self.message("0", .event(.refused))])))
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
