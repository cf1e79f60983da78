import Tenants
import TestSupport
import Testing
import Time

@testable import Events

/// Events on their way to the store.
@Suite struct EventBufferTests {
    private static func event(_ type: EventType, _ session: String, after seconds: Double = 0) -> Event {
        Event(type, tenant: "shop", subject: "alice", session: session, at: UnixTime(1_800_000_000) + seconds)
    }

    /// - Returns: What had to go.
    private static func add(_ event: Event, _ buffer: EventBuffer) -> Displaced<Event> {
        buffer.add(event, toStream: event.streamID)
    }

    private static func all(_ buffer: EventBuffer) -> [Event] { buffer.streams().flatMap(buffer.take) }

    @Test func laterRefreshOfASessionTakesThePlaceOfTheEarlierOne() {
        let buffer = EventBuffer(most: 2)
        let (first, second) = (Self.event(.refreshed, "a"), Self.event(.refreshed, "a", after: 1))
        let other = Self.event(.refreshed, "b")
        let additions = [first, other, second].map { Self.add($0, buffer) }
        #expect(additions == [Displaced(), Displaced(), Displaced(replaced: [first])])
        #expect(Self.all(buffer) == [second, other])
    }

    @Test func samplesAreNotAddedToAFullBuffer() {
        let buffer = EventBuffer(most: 1)
        let (first, second) = (Self.event(.refreshed, "a"), Self.event(.refused, "b"))
        let additions = [first, second].map { Self.add($0, buffer) }
        #expect(additions == [Displaced(), Displaced(dropped: [second])])
    }

    @Test func whatIsPutBackTakesTheRoomOfRefusalsAndThenOfRefreshes() {
        let buffer = EventBuffer(most: 3)
        let (refresh, refusal) = (Self.event(.refreshed, "a"), Self.event(.refused, "b"))
        let later = Self.event(.refreshed, "c")
        for event in [refresh, refusal, later] { _ = Self.add(event, buffer) }
        let ends = (0..<4).map { Self.event(.revoked, "d", after: Double($0)) }
        var dropped: [Event] = []
        for end in ends.reversed() { dropped += buffer.putBack([end], toStream: end.streamID).dropped }
        // In this order; and among ends the one that came last.
        #expect(dropped == [refusal, refresh, later, ends[3]])
        #expect(Self.all(buffer) == Array(ends.prefix(3)))
    }

    @Test func whatIsPutBackComesBeforeWhatHasComeSince() {
        let buffer = EventBuffer(most: 9)
        let (first, second) = (Self.event(.signedIn, "a"), Self.event(.signedOut, "a", after: 1))
        _ = Self.add(first, buffer)
        let taken = buffer.take(ofStream: first.streamID)
        _ = Self.add(second, buffer)
        #expect(buffer.putBack(taken, toStream: first.streamID) == Displaced())
        #expect(Self.all(buffer) == [first, second])
    }

    /// Whatever comes, goes and is put back: nothing is lost without being named, and the bound holds.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func everyEventIsInTheBufferOrNamed(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let buffer = EventBuffer(most: 12)
        var (added, gone, taken) = (Set<String>(), Set<String>(), [String: [Event]]())
        func note(_ displaced: Displaced<Event>) {
            for event in displaced.dropped + displaced.replaced { gone.insert(event.id) }
        }
        for step in 0..<400 {
            let session = "s\(random.below(6))"
            let type = EventType.allCases[random.below(EventType.allCases.count)]
            let event = Self.event(type, session, after: Double(step))
            switch random.below(4) {
            case 0, 1:
                added.insert(event.id)
                note(Self.add(event, buffer))
            case 2:
                let events = buffer.take(ofStream: event.streamID)
                taken[event.streamID, default: []] += events
            default:
                guard let events = taken.removeValue(forKey: event.streamID) else { continue }
                note(buffer.putBack(events, toStream: event.streamID))
            }
        }
        let left = Self.all(buffer)
        #expect(left.count <= 12)
        let kept = Set(left.map(\.id)).union(taken.values.joined().map(\.id))
        #expect(kept.union(gone) == added)
        #expect(kept.isDisjoint(with: gone))
    }
}
