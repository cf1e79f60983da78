/// Why the gateway read its configuration again.
public enum ReloadTrigger: String, Sendable {
    /// SIGHUP.
    case signal
    /// The file, or one that it names, has changed.
    case fileChange = "file change"
    /// `POST /api/reload`.
    case admin
    /// Tenants in the store have changed.
    case store
}

/// The result of a reload.
public struct ReloadReport: Sendable, Equatable {
    public enum Result: String, Sendable, CaseIterable {
        /// The new configuration is in force.
        case applied
        /// The file says the same as before.
        case unchanged
        /// The old configuration stays in force.
        case refused
    }

    public var result: Result
    /// Of the configuration that is in force now; counts up from 1.
    public var generation: UInt64
    /// The differences from the previous configuration, a line each.
    public var changes: [String]
    /// Why it was refused, a line each: `file:line:column: message` for a position in the file.
    public var mistakes: [String]
    /// Whether a retry may succeed: the store was out of reach or an address in use, and the file may be fine.
    public var mayRetry: Bool

    public init(
        result: Result,
        generation: UInt64,
        changes: [String] = [],
        mistakes: [String] = [],
        mayRetry: Bool = false
    ) {
        self.result = result
        self.generation = generation
        self.changes = changes
        self.mistakes = mistakes
        self.mayRetry = mayRetry
    }

    /// Whether the configuration that was read is in force.
    public var isInForce: Bool { result != .refused }
}
