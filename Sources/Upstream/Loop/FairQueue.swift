import Authorization
package import Time

/// Requests that wait for a server connection, in one queue per client address; the queues take turns. Appending,
/// serving and removing take constant time, whatever the length.
package struct FairQueue<Element: AnyObject, Address: Hashable> {
    private struct Entry {
        let element: Element
        let address: Address
        let since: MonotonicTime
    }

    private struct Queue {
        var entries = LinkedNodes<Entry>.List()
        /// The node of its address in `turns`.
        var turn: Int
    }

    private var entries = LinkedNodes<Entry>()
    private var addresses = LinkedNodes<Address>()
    /// The queue of each waiting address; none is empty.
    private var queues: [Address: Queue] = [:]
    /// The waiting addresses, the next one first.
    private var turns = LinkedNodes<Address>.List()
    /// The nodes of the elements in `entries`.
    private var nodes: [ObjectIdentifier: Int] = [:]

    package init() {}

    package var count: Int { nodes.count }
    package var isEmpty: Bool { nodes.isEmpty }

    /// Adds the element at the end of the queue of `address`.
    ///
    /// - Returns: False if it waits already; its position is unchanged.
    package mutating func append(_ element: Element, of address: Address, at now: MonotonicTime) -> Bool {
        guard nodes[ObjectIdentifier(element)] == nil else { return false }
        var queue = queues[address] ?? Queue(turn: addresses.append(address, to: &turns))
        let entry = Entry(element: element, address: address, since: now)
        nodes[ObjectIdentifier(element)] = entries.append(entry, to: &queue.entries)
        queues[address] = queue
        return true
    }

    /// Takes out the oldest element of the next address.
    ///
    /// - Parameter hasShare: Whether an address has its share of the connections already; such addresses come after the
    ///   others.
    package mutating func next(unless hasShare: (Address) -> Bool) -> Element? {
        guard let address = nextAddress(unless: hasShare), let node = queues[address]?.entries.first else { return nil }
        let element = remove(node)
        if var queue = queues[address] {
            _ = addresses.remove(queue.turn, from: &turns)
            queue.turn = addresses.append(address, to: &turns)
            queues[address] = queue
        }
        return element
    }

    private func nextAddress(unless hasShare: (Address) -> Bool) -> Address? {
        guard let first = turns.first else { return nil }
        var node: Int? = turns.count > 1 ? first : nil
        while let index = node, let address = addresses[index] {
            if !hasShare(address) { return address }
            node = addresses.next(after: index)
        }
        return addresses[first]
    }

    /// - Returns: Whether it waited.
    package mutating func remove(_ element: Element) -> Bool {
        guard let node = nodes[ObjectIdentifier(element)] else { return false }
        return remove(node) != nil
    }

    /// Takes out the newest element of the longest queue, in favour of one that `address` is about to add.
    ///
    /// - Returns: Nil, with nothing taken out, if the queue of `address` would then be the longer of the two.
    package mutating func evict(for address: Address) -> Element? {
        guard let longest = queues.values.max(by: { $0.entries.count < $1.entries.count })?.entries,
            longest.count > (queues[address]?.entries.count ?? 0) + 1
        else { return nil }
        return longest.last.flatMap { remove($0) }
    }

    /// How many elements of other addresses have waited since `moment` or longer.
    package func count(butNot address: Address, since moment: MonotonicTime) -> Int {
        var count = 0
        for (other, queue) in queues where other != address {
            var node = queue.entries.first
            // The rest of a queue joined later.
            while let index = node, let entry = entries[index], entry.since <= moment {
                count += 1
                node = entries.next(after: index)
            }
        }
        return count
    }

    private mutating func remove(_ node: Int) -> Element? {
        guard let address = entries[node]?.address, var queue = queues[address],
            let entry = entries.remove(node, from: &queue.entries)
        else { return nil }
        nodes[ObjectIdentifier(entry.element)] = nil
        if queue.entries.count == 0 {
            _ = addresses.remove(queue.turn, from: &turns)
            queues[address] = nil
        } else {
            queues[address] = queue
        }
        return entry.element
    }
}
