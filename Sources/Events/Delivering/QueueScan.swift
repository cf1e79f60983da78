import Time

/// Where an instance is in a queue, which it reads page by page. A value without I/O.
///
/// A pass reads what is due, the earliest first. Places that their receiver has no room for are left behind, and of each
/// receiver the first of them is remembered: the next pass begins after them, and they are read again when the receiver
/// takes more, from that place on. So what waits for a receiver that is down is read once, and not at each pass.
///
///     beginning                    front                    cursor            now
///        │ left behind: read again for │ too new to be sure that │ not looked at │ not due
///        │ receivers that take more    │ no earlier place comes  │ yet           │
struct QueueScan: Sendable {
    /// Places read at a time.
    static let page = 256
    /// Pages read between two ticks: what is behind them is looked at after the next.
    static let mostPages = 16
    /// Receivers whose first place left behind is remembered. With more of them each pass reads the whole queue.
    static let mostLeft = 2048
    /// Seconds after which no other instance adds an earlier place: by how much its clock may be late, and what a write
    /// may take. What breaks this is found by ``review(_:at:)``.
    static let settling = 60.0

    /// The part of the queue that ``cursor`` is in.
    private enum Part: Sendable {
        case ahead
        /// - Parameters:
        ///   - start: The page begins after this name.
        ///   - receivers: Those that take more, and have been left places.
        case behind(start: String, receivers: [OutboxReceiverID])
    }

    /// The place after which the next page of the part ahead begins; nil for the beginning.
    private var ahead: String?
    /// Where the next pass begins; nil for the beginning.
    private var front: String?
    /// What comes before this is settled.
    private var settledAt = UnixTime(0)
    /// Of receivers with places left behind a name before the first of them, and after all earlier places.
    private var left: [OutboxReceiverID: String] = [:]
    /// Whether ``left`` has all receivers that were left places in this pass.
    private var isComplete = true
    /// Whether a receiver that was left places may take more.
    private var mayLookBehind = false

    private var part = Part.ahead
    private var places: ArraySlice<OutboxRecords.Place> = []
    private var pagesLeft = Self.mostPages
    private var isLastPage = false
    private var isAtEnd = false

    /// The place after which the next page begins; nil for the beginning.
    var cursor: String? {
        switch part {
        case .ahead: ahead
        case .behind(let start, _): start
        }
    }

    /// Whether a page has to be read to go on.
    var needsPage: Bool {
        guard places.isEmpty, pagesLeft > 0 else { return false }
        if case .behind = part { return true }
        return !isAtEnd
    }

    // MARK: Reading

    /// A second has passed: the queue is read from where this was, or another pass begins if that was the end.
    ///
    /// - Parameter fromBeginning: Wherever it was.
    mutating func tick(fromBeginning: Bool = false) {
        pagesLeft = Self.mostPages
        mayLookBehind = true
        leaveBehind()
        if fromBeginning { return restart() }
        places = []
        guard isAtEnd else { return }
        if left.isEmpty || !isComplete { return restart() }
        ahead = front
        isAtEnd = false
    }

    /// Begins at the beginning, without reading more pages than allowed.
    mutating func restart() {
        places = []
        (ahead, front, part) = (nil, nil, .ahead)
        left = [:]
        (isComplete, isAtEnd) = (true, false)
    }

    /// Chooses where the next page is read, to be called when ``next()`` has given nil: ahead and behind in turn.
    ///
    /// - Parameter takesMore: Whether a receiver has room for a place now.
    mutating func turn(_ takesMore: (OutboxReceiverID) -> Bool) {
        guard places.isEmpty, pagesLeft > 0 else { return }
        let wasBehind = if case .behind = part { true } else { false }
        part = .ahead
        guard mayLookBehind, isAtEnd || !wasBehind, let ahead else { return }
        let wanting = left.filter { Self.isBefore($0.value, ahead) && takesMore($0.key) }
        guard let start = wanting.values.min(by: Self.isBefore) else {
            mayLookBehind = false
            return
        }
        part = .behind(start: start, receivers: Array(wanting.keys))
    }

    /// - Parameter read: The places after ``cursor``, at most ``page`` of them, the earliest first.
    mutating func add(_ read: [OutboxRecords.Place], at now: UnixTime) {
        pagesLeft -= 1
        places = read.prefix { $0.time <= now }
        switch part {
        case .ahead:
            settledAt = now - Self.settling
            isLastPage = places.count < Self.page
            if places.isEmpty { isAtEnd = true }
        case .behind(let start, let receivers):
            places = places.prefix { place in ahead.map { !Self.isBefore($0, place.name) } ?? false }
            let isAll = places.count < read.count || places.last?.name == ahead
            let end = isAll ? nil : places.last?.name
            // One that was left a place before the page meanwhile keeps that.
            for id in receivers {
                guard let first = left[id], !Self.isBefore(first, start) else { continue }
                if let end, !Self.isBefore(first, end) { continue }
                left[id] = end
            }
        }
    }

    /// - Returns: Nil at the end, or if a page is needed.
    mutating func next() -> OutboxRecords.Place? {
        guard let place = places.popFirst() else { return nil }
        guard case .ahead = part else { return place }
        ahead = place.name
        if place.time <= settledAt { front = place.name }
        if places.isEmpty, isLastPage { isAtEnd = true }
        return place
    }

    // MARK: What is left behind

    /// Whether a receiver has places that it had no room for.
    func hasLeft(_ receiver: OutboxReceiverID) -> Bool { left[receiver] != nil }

    /// A receiver that was left places takes more.
    mutating func lookBehind() { mayLookBehind = true }

    /// A place stays in the queue as it is.
    ///
    /// - Parameter receiver: Nil: that of the place.
    mutating func leave(_ place: OutboxRecords.Place, for receiver: OutboxReceiverID? = nil) {
        let id = receiver ?? place.receiver
        let name = String(String.UnicodeScalarView(place.name.unicodeScalars.dropLast()))
        if let first = left[id] {
            if Self.isBefore(name, first) { left[id] = name }
        } else if left.count < Self.mostLeft {
            left[id] = name
        } else {
            isComplete = false
        }
    }

    /// Looks at a part of the queue that is read from time to time however far this has got: what a clock that was late,
    /// or a change of the queue by hand, has put behind it is found.
    mutating func review(_ places: [OutboxRecords.Place], at now: UnixTime) {
        guard front != nil else { return }
        for place in places.prefix(while: { $0.time <= now }) { leave(place) }
    }

    /// The rest of a page that was read for receivers with places left behind.
    private mutating func leaveBehind() {
        guard case .behind = part else { return }
        for place in places { leave(place) }
        part = .ahead
    }

    /// In the store's order: of the bytes.
    private static func isBefore(_ name: String, _ other: String) -> Bool {
        name.utf8.lexicographicallyPrecedes(other.utf8)
    }
}
