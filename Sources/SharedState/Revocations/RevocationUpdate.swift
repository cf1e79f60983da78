public import Time

/// An update of the event loops' revocations.
public struct RevocationUpdate: Sendable {
    /// The changed sets, by the tenant's name.
    public var sets: [String: RevocationSet]
    /// When the store was last known to have nothing newer; nil: never.
    public var contact: MonotonicTime?

    public init(sets: [String: RevocationSet], contact: MonotonicTime? = nil) {
        self.sets = sets
        self.contact = contact
    }
}
