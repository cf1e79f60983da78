/// The latest events of a sequence, numbered from 1 without gaps.
struct History<Event> {
    private var events: [Event] = []
    private let limit: Int
    /// The number of the last event ever added.
    private(set) var last = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func append(_ event: Event) {
        events.append(event)
        last += 1
        // Trimmed by `limit` at a time, so that each event moves at most once.
        if events.count >= 2 * limit { events.removeFirst(events.count - limit) }
    }

    /// - Returns: At most `count` events after `number`; nil if some of them were dropped, or `number` is in the
    ///   future.
    func events(after number: Int, count: Int) -> ArraySlice<Event>? {
        let firstKept = last - events.count + 1
        guard number <= last, number >= firstKept - 1 else { return nil }
        return events[(number - firstKept + 1)...].prefix(count)
    }
}
