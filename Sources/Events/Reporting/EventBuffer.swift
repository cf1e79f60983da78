import Synchronization
import Tenants

/// Events on their way to the store, by their stream: a request puts them here and waits for nothing.
///
/// Where there is no room, what counts least goes first (``OutboxMessage/Importance``).
final class EventBuffer: Sendable {
    fileprivate struct Stream {
        /// In the order in which the streams came.
        let number: UInt64
        /// In the order in which they happened.
        var events: [Event]
    }

    fileprivate struct State {
        var streams: [String: Stream] = [:]
        var next: UInt64 = 0
        /// Of events, by importance.
        var counts = [Int](repeating: 0, count: OutboxMessage.Importance.allCases.count)

        var count: Int { counts.reduce(0, +) }
    }

    private let most: Int
    private let state = Mutex(State())

    /// - Parameter most: The maximum number.
    init(most: Int) {
        self.most = most
    }

    /// - Parameter id: The event's ``Event/streamID``, which is made before the lock is taken.
    /// - Returns: What has to go for it, or the event itself.
    func add(_ event: Event, toStream id: String) -> Displaced<Event> {
        state.withLock { state in
            // The least important of a full buffer need not be looked for.
            let isSample = event.type.importance <= .refreshed
            if isSample, state.count >= most, !state.has(event.type, in: id) { return Displaced(dropped: [event]) }
            state.append([event], to: id)
            return state.makeRoom(in: id, most: most)
        }
    }

    /// The streams of which there is something, in the order in which they came.
    func streams() -> [String] {
        let streams = state.withLock { $0.streams.map { ($0.key, $0.value.number) } }
        return streams.sorted { $0.1 < $1.1 }.map(\.0)
    }

    /// Takes those of one stream out.
    func take(ofStream id: String) -> [Event] {
        state.withLock { state in
            guard let stream = state.streams.removeValue(forKey: id) else { return [] }
            for event in stream.events { state.counts[event.type.importance.rawValue] -= 1 }
            return stream.events
        }
    }

    /// Puts back what could not be stored, before what has come since.
    ///
    /// - Returns: What has to go for it, or some of it.
    func putBack(_ events: [Event], toStream id: String) -> Displaced<Event> {
        guard !events.isEmpty else { return Displaced() }
        return state.withLock { state in
            state.prepend(events, to: id)
            return state.makeRoom(in: id, most: most)
        }
    }
}

extension EventBuffer.State {
    func has(_ type: EventType, in id: String) -> Bool { streams[id]?.events.contains { $0.type == type } ?? false }

    mutating func append(_ events: [Event], to id: String) { change(id) { $0 += events } }

    mutating func prepend(_ events: [Event], to id: String) { change(id) { $0 = events + $0 } }

    private mutating func change(_ id: String, _ change: (inout [Event]) -> Void) {
        var stream = streams[id] ?? EventBuffer.Stream(number: next, events: [])
        next += 1
        for event in stream.events { counts[event.type.importance.rawValue] -= 1 }
        change(&stream.events)
        for event in stream.events { counts[event.type.importance.rawValue] += 1 }
        streams[id] = stream
    }

    /// Leaves the latest refresh of the stream, and as many events as there may be.
    mutating func makeRoom(in id: String, most: Int) -> Displaced<Event> {
        var displaced = Displaced<Event>()
        if let refreshes = streams[id]?.events.filter({ $0.type == .refreshed }), let last = refreshes.last,
            refreshes.count > 1
        {
            displaced.replaced = Array(refreshes.dropLast())
            change(id) { events in events.removeAll { $0.type == .refreshed && $0.id != last.id } }
        }
        while count > most, let event = removeLeastImportant() { displaced.dropped.append(event) }
        return displaced
    }

    /// The oldest of what says little, or else what came last.
    private mutating func removeLeastImportant() -> Event? {
        guard let least = OutboxMessage.Importance.allCases.first(where: { counts[$0.rawValue] > 0 }) else {
            return nil
        }
        let with = streams.filter { $0.value.events.contains { $0.type.importance == least } }
        let found =
            least <= .refreshed
            ? with.min { $0.value.number < $1.value.number } : with.max { $0.value.number < $1.value.number }
        guard let (id, stream) = found else { return nil }
        let index =
            least <= .refreshed
            ? stream.events.firstIndex { $0.type.importance == least }
            : stream.events.lastIndex { $0.type.importance == least }
        guard let index else { return nil }
        let event = stream.events[index]
        change(id) { $0.remove(at: index) }
        if streams[id]?.events.isEmpty == true { streams[id] = nil }
        return event
    }
}
