/// Fields that are set in or removed from requests and responses (`headers`).
public struct HeaderRules: Sendable, Equatable {
    public struct Field: Sendable, Equatable {
        public var name: String
        public var value: Secret
    }

    public struct Changes: Sendable, Equatable {
        /// They replace all received fields of these names.
        public var set: [Field] = []
        public var remove: [String] = []

        public var isEmpty: Bool { self.set.isEmpty && remove.isEmpty }
    }

    /// Security fields for browsers, unless the backend sends them itself.
    public enum Security: String, Sendable, CaseIterable {
        case off
        /// Fields that hardly any app breaks with.
        case standard
    }

    /// Changes to what the backend gets.
    public var request: Changes = Changes()
    /// Changes to what the client gets, in responses of the backend and of the gateway.
    public var response: Changes = Changes()
    public var security = Schema.headers.security.default
}
