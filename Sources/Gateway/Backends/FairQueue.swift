/// Requests that wait for a server's places, in a line for each client address; the lines take turns.
struct FairQueue<Element: AnyObject> {
    typealias Address = SubjectName?

    private struct Entry {
        let element: Element
        /// Monotonic nanoseconds.
        let since: UInt64
    }

    /// None of them is empty.
    private var lines: [Address: [Entry]] = [:]
    /// The addresses that wait, the one whose turn it is first.
    private var turns: [Address] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    /// Whether several addresses wait.
    var hasSeveralAddresses: Bool { turns.count > 1 }

    mutating func append(_ element: Element, of address: Address, at now: UInt64) {
        if lines[address] == nil { turns.append(address) }
        lines[address, default: []].append(Entry(element: element, since: now))
        count += 1
    }

    /// Takes out who has waited longest of the address whose turn it is.
    ///
    /// - Parameter hasShare: Whether an address holds its share of the places; such a one comes after the others.
    mutating func next(unless hasShare: (Address) -> Bool) -> Element? {
        guard !turns.isEmpty else { return nil }
        var place = 0
        if hasSeveralAddresses { place = turns.firstIndex { !hasShare($0) } ?? 0 }
        let address = turns.remove(at: place)
        guard var line = lines[address], !line.isEmpty else { return nil }
        let element = line.removeFirst().element
        lines[address] = line.isEmpty ? nil : line
        if !line.isEmpty { turns.append(address) }
        count -= 1
        return element
    }

    /// Gives whether it was there, also if a reload has changed since by which address it goes.
    mutating func remove(_ element: Element, of address: Address) -> Bool {
        let isThere: (Entry) -> Bool = { $0.element === element }
        let isInItsLine = lines[address]?.contains(where: isThere) == true
        guard let address = isInItsLine ? address : lines.first(where: { $0.value.contains(where: isThere) })?.key,
            let place = lines[address]?.firstIndex(where: isThere)
        else { return false }
        lines[address]?.remove(at: place)
        closeIfEmpty(address)
        count -= 1
        return true
    }

    /// Takes out the newest of the longest line, if that leaves it no shorter than the line of `address` becomes with
    /// one more.
    mutating func makeRoom(for address: Address) -> Element? {
        guard let longest = lines.max(by: { $0.value.count < $1.value.count }) else { return nil }
        guard longest.value.count > (lines[address]?.count ?? 0) + 1 else { return nil }
        let dropped = lines[longest.key]?.popLast()
        closeIfEmpty(longest.key)
        count -= 1
        return dropped?.element
    }

    /// How many of other addresses have waited since `moment` or longer.
    func count(butNot address: Address, since moment: UInt64) -> Int {
        lines.reduce(0) { sum, line in
            line.key == address ? sum : sum + line.value.count { $0.since <= moment }
        }
    }

    private mutating func closeIfEmpty(_ address: Address) {
        guard lines[address]?.isEmpty == true else { return }
        lines[address] = nil
        turns.removeAll { $0 == address }
    }
}
