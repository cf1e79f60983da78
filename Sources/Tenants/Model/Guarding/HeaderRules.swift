/// Fields that are set or removed on the way (`headers`).
public struct HeaderRules: Sendable, Equatable {
    public struct Field: Sendable, Equatable {
        public var name: String
        public var value: Secret

        public init(name: String, value: Secret) {
            self.name = name
            self.value = value
        }
    }

    public struct Changes: Sendable, Equatable {
        /// In the place of all fields of these names that came.
        public var set: [Field]
        public var remove: [String]

        public init(set: [Field] = [], remove: [String] = []) {
            self.set = set
            self.remove = remove
        }

        public var isEmpty: Bool { self.set.isEmpty && remove.isEmpty }
    }

    /// Fields that tell browsers to be careful, where the backend does not say them itself.
    public enum Security: String, Sendable, CaseIterable {
        case off
        /// Those that hardly an app breaks by.
        case standard
    }

    /// What the backend sees.
    public var request: Changes
    /// What the client sees, of the backend's answers and of the gateway's own.
    public var response: Changes
    public var security: Security

    public init(request: Changes = Changes(), response: Changes = Changes(), security: Security = .off) {
        self.request = request
        self.response = response
        self.security = security
    }
}
