import Tenants
import Upstream

/// Costly signature checks of a loop: some of them are under way, the others wait in a line for each tenant, and the lines
/// take turns. A tenant that is flooded with tokens makes its own callers wait, not those of others.
struct SlowTurns<Check: AnyObject> {
    /// Enough to keep a verifier busy, and no more than callers of another tenant may have to wait for.
    static var mostUnderWay: Int { 4 }

    private var underWay = 0
    private var waiting = FairQueue<Check, TenantIndex>()

    /// - Returns: The check, if it is to begin at once.
    mutating func add(_ check: Check, ofTenant tenant: TenantIndex) -> Check? {
        guard underWay == Self.mostUnderWay else {
            underWay += 1
            return check
        }
        // One that waits already waits on.
        _ = waiting.append(check, of: tenant, at: .distantPast)
        return nil
    }

    /// One that had begun is done.
    ///
    /// - Returns: The check that is to begin in its place.
    mutating func isDone() -> Check? {
        if let next = waiting.next(unless: { _ in false }) { return next }
        underWay -= 1
        return nil
    }
}
