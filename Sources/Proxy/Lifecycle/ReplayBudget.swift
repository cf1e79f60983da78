/// How many bytes of bodies the requests of one event loop may keep together, to be made again or looked into.
final class ReplayBudget {
    private(set) var left: Int

    init(_ bytes: Int) { left = bytes }

    /// A part of the room. It is given back with the last reference to it, whatever becomes of the request.
    final class Part {
        private let room: ReplayBudget
        private var bytes = 0

        init(of room: ReplayBudget) { self.room = room }

        deinit { room.left += bytes }

        /// Gives whether there is room for so many more.
        func grow(by count: Int) -> Bool {
            guard count <= room.left else { return false }
            room.left -= count
            bytes += count
            return true
        }

        func giveBack() {
            room.left += bytes
            bytes = 0
        }
    }
}
