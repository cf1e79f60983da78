/// What made the gateway read its configuration anew.
public enum ReloadTrigger: String, Sendable {
    /// SIGHUP.
    case signal
    /// The file, or one that it names, has changed.
    case fileChange = "file change"
    /// `POST /api/reload`.
    case admin
}

/// What came of reading the configuration anew.
public struct ReloadReport: Sendable, Equatable {
    public enum Result: String, Sendable, CaseIterable {
        /// What was read is in force.
        case applied
        /// What was read is what is in force already.
        case unchanged
        /// What was in force before stays so.
        case refused
    }

    public var result: Result
    /// Of the configuration that is in force now; counts up from 1.
    public var generation: UInt64
    /// What is otherwise than before, a line each.
    public var changes: [String]
    /// Why it was refused, a line each: `file:line:column: message` where it is a place in the file.
    public var mistakes: [String]
    /// Whether it was refused for what is not in the file: a store that is out of reach, an address that is taken.
    public var mayGoWellLater: Bool

    public init(
        result: Result,
        generation: UInt64,
        changes: [String] = [],
        mistakes: [String] = [],
        mayGoWellLater: Bool = false
    ) {
        self.result = result
        self.generation = generation
        self.changes = changes
        self.mistakes = mistakes
        self.mayGoWellLater = mayGoWellLater
    }

    /// Whether the configuration in force is the one that was read.
    public var isInForce: Bool { result != .refused }
}
