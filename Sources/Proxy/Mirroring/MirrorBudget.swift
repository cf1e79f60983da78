/// What the copies of requests may take of one event loop. Beyond it requests are not copied: a mirror that is slow or
/// down costs nothing more.
final class MirrorBudget {
    /// Copies under way.
    private static let mostCopies = 256

    /// For their bodies.
    let room: ReplayBudget
    private var underWay = 0

    /// - Parameter bytes: Of all bodies together.
    init(bytes: Int) { room = ReplayBudget(bytes) }

    /// Returns whether there is room for another copy, which then ends with ``ended()``.
    func begin() -> Bool {
        guard underWay < Self.mostCopies else { return false }
        underWay += 1
        return true
    }

    func ended() { underWay -= 1 }
}
