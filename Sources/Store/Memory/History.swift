/// The last of a row of events, numbered from 1 without gaps.
struct History<Event> {
    private var events: [Event] = []
    private let limit: Int
    /// The number of the last event there was.
    private(set) var last = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func append(_ event: Event) {
        events.append(event)
        last += 1
        // A limit's worth at a time: each event moves once at most.
        if events.count >= 2 * limit { events.removeFirst(events.count - limit) }
    }

    /// - Returns: At most `count` of those after `number`; nil if some of them are gone, or `number` has not been yet.
    func events(after number: Int, count: Int) -> ArraySlice<Event>? {
        let firstKept = last - events.count + 1
        guard number <= last, number >= firstKept - 1 else { return nil }
        return events[(number - firstKept + 1)...].prefix(count)
    }
}
