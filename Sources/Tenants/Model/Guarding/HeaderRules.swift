/// Fields that are set or removed on the way (`headers`).
public struct HeaderRules: Sendable, Equatable {
    public struct Field: Sendable, Equatable {
        public var name: String
        public var value: Secret
    }

    public struct Changes: Sendable, Equatable {
        /// In the place of all fields of these names that came.
        public var set: [Field] = []
        public var remove: [String] = []

        public var isEmpty: Bool { self.set.isEmpty && remove.isEmpty }
    }

    /// Fields that tell browsers to be careful, where the backend does not say them itself.
    public enum Security: String, Sendable, CaseIterable {
        case off
        /// Those that hardly an app breaks by.
        case standard
    }

    /// What the backend sees.
    public var request: Changes = Changes()
    /// What the client sees, of the backend's answers and of the gateway's own.
    public var response: Changes = Changes()
    public var security = Schema.headers.security.standard
}
