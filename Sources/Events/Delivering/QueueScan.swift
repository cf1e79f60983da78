import Time

/// Where an instance is in a queue, which it reads page by page. A value without I/O.
struct QueueScan: Sendable {
    /// Places read at a time.
    static let page = 256
    /// Pages read between two ticks: what is behind them is looked at after the next.
    static let mostPages = 16

    /// The last place taken, after which the next page begins; nil for the beginning.
    private(set) var cursor: String?
    private var places: ArraySlice<OutboxRecords.Place> = []
    private var pagesLeft = Self.mostPages
    private var isLastPage = false
    private var isAtEnd = false

    /// Whether a page has to be read to go on.
    var needsPage: Bool { places.isEmpty && !isAtEnd && pagesLeft > 0 }

    /// A second has passed: the queue is read from where this was, or from the beginning if that was the end.
    ///
    /// - Parameter fromBeginning: Wherever it was.
    mutating func tick(fromBeginning: Bool = false) {
        pagesLeft = Self.mostPages
        if fromBeginning || isAtEnd { restart() } else { places = [] }
    }

    /// Begins again, without reading more pages than allowed.
    mutating func restart() {
        places = []
        cursor = nil
        isAtEnd = false
    }

    /// - Parameter read: The places after ``cursor``, at most ``page`` of them, the earliest first.
    mutating func add(_ read: [OutboxRecords.Place], at now: UnixTime) {
        pagesLeft -= 1
        places = read.prefix { $0.time <= now }
        isLastPage = places.count < Self.page
        if places.isEmpty { isAtEnd = true }
    }

    /// - Returns: Nil at the end, or if a page is needed.
    mutating func next() -> OutboxRecords.Place? {
        guard let place = places.popFirst() else { return nil }
        cursor = place.name
        if places.isEmpty, isLastPage { isAtEnd = true }
        return place
    }
}
