import NIOCore
import Synchronization
import Testing
import Verification

@testable import AdminAPI

/// One report for all watchers, and none without watchers.
@Suite(.timeLimit(.minutes(1))) struct ReportFeedTests {
    /// Reports that are numbered from 1.
    private final class Numbers: Sendable {
        private let last = Mutex(0)

        func next() -> JSONObject {
            let number = last.withLock { last in
                last += 1
                return last
            }
            return ["number": .number(JSONNumber(number))]
        }
    }

    private let numbers = Numbers()

    private func feed(capacity: Int = 16, interval: Duration = .milliseconds(5)) -> ReportFeed {
        ReportFeed(capacity: capacity, interval: interval) { [numbers] _ in numbers.next() }
    }

    private struct NoMore: Error {}

    /// The number of a report in an event; nil for another event.
    private static func number(_ event: ByteBuffer) throws -> Double? {
        let lines = String(buffer: event).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 4, lines[0].hasPrefix("id: "), lines[1].hasPrefix("data: "), lines[2...] == ["", ""]
        else { return nil }
        #expect(Int(lines[0].dropFirst(4)) != nil)
        return try JSONParser.parse(Array(lines[1].dropFirst(6).utf8)).object?["number"]?.double
    }

    /// The numbers of the reports up to `last`.
    private static func numbers(_ events: AsyncStream<ByteBuffer>, upTo last: Double) async throws -> [Double] {
        var numbers: [Double] = []
        for await event in events {
            guard let number = try number(event) else { continue }
            numbers.append(number)
            if number >= last { break }
        }
        return numbers
    }

    private typealias Events = AsyncStream<ByteBuffer>.Iterator

    /// The next event, as text.
    private static func next(_ events: inout Events) async throws -> ByteBuffer {
        let event = await events.next()
        return try #require(event)
    }

    @Test func streamBeginsWithRetryTimeAndReport() async throws {
        // No second one comes within the time of this test.
        let feed = feed(interval: .seconds(3600))
        for number in [1.0, 2] {
            // Who comes later does not wait for the next beat either.
            let stream = await feed.watch()
            var events = try #require(stream).makeAsyncIterator()
            let beginning = try await Self.next(&events)
            #expect(String(buffer: beginning) == "retry: 1000\n\n")
            let first = try await Self.next(&events)
            #expect(try Self.number(first) == number)
        }
    }

    @Test func allWatchersGetTheSameReports() async throws {
        let feed = feed()
        let (one, other) = (await feed.watch(), await feed.watch())
        let streams = (try #require(one), try #require(other))
        async let first = Self.numbers(streams.0, upTo: 20)
        async let second = Self.numbers(streams.1, upTo: 20)
        let (heard, too) = (try await first, try await second)
        for numbers in [heard, too] {
            #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        }
        #expect(!Set(heard).isDisjoint(with: too))
    }

    @Test func watchersAreLimitedAndLeavingFreesCapacity() async throws {
        let feed = feed(capacity: 1)
        var stream = await feed.watch()
        #expect(stream != nil)
        let refused = await feed.watch()
        #expect(refused == nil)
        stream = nil
        while await feed.count > 0 { await Task.yield() }
        let again = await feed.watch()
        let numbers = try await Self.numbers(try #require(again), upTo: 1)
        #expect(!numbers.isEmpty)
    }

    @Test func reportHasTheTenantsOfAllWatchers() async throws {
        let feed = ReportFeed(interval: .milliseconds(5)) { watched in ["number": .number(JSONNumber(watched.count))] }
        _ = await feed.watch()
        let shop = await feed.watch("shop")
        let again = await feed.watch("shop")
        let stream = await feed.watch("blog")
        #expect(shop != nil && again != nil)
        var events = try #require(stream).makeAsyncIterator()
        var event = try await Self.next(&events)
        while try Self.number(event) != 2 { event = try await Self.next(&events) }
    }

    @Test func streamEndsWithoutMoreReports() async throws {
        let feed = ReportFeed(interval: .milliseconds(5)) { _ in throw NoMore() }
        let events = await feed.watch()
        var heard: [String] = []
        for await event in try #require(events) { heard.append(String(buffer: event)) }
        #expect(heard == ["retry: 1000\n\n"])
    }

    @Test func lateReportIsPrecededByComments() async throws {
        let (late, arrive) = AsyncStream.makeStream(of: JSONObject.self)
        let feed = ReportFeed(interval: .milliseconds(5)) { _ in
            for await report in late { return report }
            throw NoMore()
        }
        let stream = await feed.watch()
        var events = try #require(stream).makeAsyncIterator()
        var event = try await Self.next(&events)
        while String(buffer: event) != ":\n\n" { event = try await Self.next(&events) }
        arrive.yield(["number": 1])
        while try Self.number(event) == nil { event = try await Self.next(&events) }
        #expect(try Self.number(event) == 1)
        arrive.finish()
    }
}
