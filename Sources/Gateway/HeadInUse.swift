import HTTPCore

/// Which of an event loop's exchanges uses the loop's parsed head, and the work on other exchanges that waits meanwhile.
///
/// From the parse of a head to the last use of its offsets no other head may be parsed into the same object. But writing
/// to a channel can close it, and NIO says so at once: the loss of one server's connection then reaches exchanges of other
/// clients in the middle of somebody's request. What they have to do is postponed to a turn of the loop of its own.
///
/// A value without I/O: ``Worker`` has the event loop run what waits.
struct HeadInUse {
    typealias Work = () -> Void

    /// Whether a head is being decided on or forwarded.
    private(set) var isInUse = false
    private var postponed: [Work] = []

    /// A head was parsed, and what is done about it begins.
    mutating func begin() {
        assert(!isInUse, "a head is parsed while another is in use")
        isInUse = true
    }

    /// Nobody reads the head any more.
    mutating func end() { isInUse = false }

    /// Keeps `work` for later.
    ///
    /// - Returns: Whether it is the first that waits, for which a turn has to be asked for.
    mutating func postpone(_ work: @escaping Work) -> Bool {
        postponed.append(work)
        return postponed.count == 1
    }

    /// What waits, in the order in which it was postponed. What comes up while it is done waits for another turn.
    mutating func takePostponed() -> [Work] {
        assert(!isInUse, "postponed work is run while a head is in use")
        defer { postponed = [] }
        return postponed
    }
}

/// Proof that a shared ``MessageHead`` still is what it was when the proof was made: heads count their parses.
struct HeadStamp: Equatable {
    private let parses: UInt64

    init(_ head: MessageHead) { parses = head.parses }

    /// No head at all.
    init() { parses = 0 }

    /// Whether no other head was parsed into the object since.
    func holds(for head: MessageHead) -> Bool { parses == head.parses }
}
