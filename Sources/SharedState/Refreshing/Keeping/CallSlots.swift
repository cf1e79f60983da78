/// Who may call a tenant's provider now, and who waits for that, first come first served. One tenant's line is nobody
/// else's.
struct CallSlots: Sendable {
    /// Names a place in the line.
    typealias Ticket = UInt64

    private let most: Int
    private var taken: Set<RefreshSession> = []
    private var line: [(session: RefreshSession, ticket: Ticket)] = []
    private var first = 0
    private var tickets: [RefreshSession: Ticket] = [:]
    private var last: Ticket = 0

    /// - Parameter most: How many may call at once.
    init(most: Int) {
        self.most = most
    }

    /// How many have a place.
    var count: Int { taken.count }

    /// - Returns: Whether there is a place at once; else the session stands in line.
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

    /// Gives back the place, or leaves the line.
    ///
    /// - Returns: Who has the place now.
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
