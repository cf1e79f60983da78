/// Something with a descriptor that a loop waits for.
protocol EpollSource: AnyObject {
    /// - Parameter events: As epoll gave them.
    func ready(_ events: UInt32)

    /// Goes on with what was left in the last turn.
    func resume()

    /// The loop ends: everything is to be closed.
    func loopStops()
}

/// What a loop waits for, by the number that epoll gives back with each event. An event of a descriptor that was closed
/// earlier in the same turn finds nothing, even if its slot has been given away since.
struct SourceTable {
    struct Key: Equatable {
        fileprivate let index: UInt32
        fileprivate let generation: UInt32

        var value: UInt64 { UInt64(generation) << 32 | UInt64(index) }
    }

    private struct Slot {
        var source: (any EpollSource)?
        var generation: UInt32 = 0
    }

    /// A key that nothing is ever found by.
    static let noSource = UInt64.max

    private var slots: [Slot] = []
    private var free: [UInt32] = []

    var all: [any EpollSource] { slots.compactMap(\.source) }

    mutating func add(_ source: any EpollSource) -> Key {
        guard let index = free.popLast() else {
            slots.append(Slot(source: source))
            return Key(index: UInt32(slots.count - 1), generation: 0)
        }
        slots[Int(index)].source = source
        return Key(index: index, generation: slots[Int(index)].generation)
    }

    mutating func remove(_ key: Key) {
        guard self[key.value] != nil else { return }
        slots[Int(key.index)].source = nil
        slots[Int(key.index)].generation &+= 1
        free.append(key.index)
    }

    subscript(value: UInt64) -> (any EpollSource)? {
        let index = Int(UInt32(truncatingIfNeeded: value))
        let generation = UInt32(truncatingIfNeeded: value >> 32)
        guard index < slots.count, slots[index].generation == generation else { return nil }
        return slots[index].source
    }
}
