import Tenants
import Upstream

/// The costly signature checks of a loop: a few run, the others wait in one queue per tenant, and the queues take
/// turns. A tenant that is flooded with tokens delays its own callers, not those of others.
struct SlowTurns<Check: AnyObject> {
    /// Enough to keep a verifier busy, and few enough that callers of another tenant do not wait long.
    static var mostUnderWay: Int { 4 }

    private var underWay = 0
    private var waiting = FairQueue<Check, TenantIndex>()

    /// - Returns: The check, if it is to begin at once.
    mutating func add(_ check: Check, ofTenant tenant: TenantIndex) -> Check? {
        guard underWay == Self.mostUnderWay else {
            underWay += 1
            return check
        }
        // A check that already waits keeps its position.
        _ = waiting.append(check, of: tenant, at: .distantPast)
        return nil
    }

    /// A running check is done.
    ///
    /// - Returns: The check to begin next.
    mutating func isDone() -> Check? {
        if let next = waiting.next(unless: { _ in false }) { return next }
        underWay -= 1
        return nil
    }
}
