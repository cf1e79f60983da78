/// The sessions that may call a tenant's provider now, and those that wait for a slot, in order of arrival.
struct CallSlots: Sendable {
    typealias Ticket = UInt64

    private let most: Int
    private var taken: Set<RefreshSession> = []
    private var line: [(session: RefreshSession, ticket: Ticket)] = []
    private var first = 0
    private var tickets: [RefreshSession: Ticket] = [:]
    private var last: Ticket = 0

    /// - Parameter most: The number of slots.
    init(most: Int) {
        self.most = most
    }

    /// The number of taken slots.
    var count: Int { taken.count }

    /// - Returns: Whether a slot is free; otherwise the session waits for one.
    mutating func ask(_ session: RefreshSession) -> Bool {
        if taken.contains(session) { return true }
        if taken.count < most, tickets.isEmpty {
            taken.insert(session)
            return true
        }
        last += 1
        tickets[session] = last
        line.append((session, last))
        return false
    }

    /// Releases the session's slot, or stops waiting for one.
    ///
    /// - Returns: The session that has the slot now.
    mutating func leave(_ session: RefreshSession) -> RefreshSession? {
        tickets[session] = nil
        guard taken.remove(session) != nil else { return nil }
        while first < line.count {
            let (next, ticket) = line[first]
            first += 1
            if tickets[next] == ticket {
                tickets[next] = nil
                taken.insert(next)
                compact()
                return next
            }
        }
        compact()
        return nil
    }

    private mutating func compact() {
        guard first > 64, first * 2 > line.count else { return }
        line.removeFirst(first)
        first = 0
    }
}
