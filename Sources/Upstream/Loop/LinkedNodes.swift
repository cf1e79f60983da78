/// Doubly linked lists whose nodes share one array: appending, and removing at any position, take constant time. The
/// array grows to the greatest total length.
struct LinkedNodes<Value> {
    struct List {
        fileprivate(set) var first: Int?
        fileprivate(set) var last: Int?
        fileprivate(set) var count = 0

        init() {}
    }

    private struct Node {
        /// Nil if the node is free.
        var value: Value?
        var previous: Int?
        var next: Int?
    }

    private var nodes: [Node] = []
    private var free: [Int] = []

    /// - Returns: The index of the node until it is removed.
    mutating func append(_ value: Value, to list: inout List) -> Int {
        let node = Node(value: value, previous: list.last, next: nil)
        let index: Int
        if let reused = free.popLast() {
            index = reused
            nodes[index] = node
        } else {
            index = nodes.count
            nodes.append(node)
        }
        if let last = list.last { nodes[last].next = index } else { list.first = index }
        list.last = index
        list.count += 1
        return index
    }

    /// - Parameter list: The list that the node was appended to.
    /// - Returns: Nil, with nothing changed, if there is no such node.
    mutating func remove(_ index: Int, from list: inout List) -> Value? {
        guard nodes.indices.contains(index), let value = nodes[index].value else { return nil }
        let node = nodes[index]
        if let previous = node.previous { nodes[previous].next = node.next } else { list.first = node.next }
        if let next = node.next { nodes[next].previous = node.previous } else { list.last = node.previous }
        nodes[index] = Node(value: nil, previous: nil, next: nil)
        free.append(index)
        list.count -= 1
        return value
    }

    /// The value of a node; nil if there is no such node.
    subscript(index: Int) -> Value? {
        nodes.indices.contains(index) ? nodes[index].value : nil
    }

    /// The node after this one in its list.
    func next(after index: Int) -> Int? {
        nodes.indices.contains(index) ? nodes[index].next : nil
    }
}
