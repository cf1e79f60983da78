public import Signals

extension SignInCounts {
    /// What a sender tells of: a closed set, for use as a label.
    public enum SignalEvent: Sendable, Hashable {
        case logout
        case event(SecurityEventType)
        /// One whose token was refused before it was read.
        case unread

        public var label: String {
            switch self {
            case .logout: "logout"
            case .event(let type): type.rawValue
            case .unread: "unread"
            }
        }
    }

    public enum SignalResult: String, Sendable, CaseIterable {
        /// What it is about was revoked.
        case revoked
        /// Received; it is about nothing that the gateway ends.
        case acknowledged
        /// Received; nobody here is known by its subject.
        case unknownSubject = "unknown_subject"
        case repeated
        case refused
        /// The store, or the sender's keys, were out of reach.
        case unavailable
    }

    /// Labels of `gatehouse_signals_total`.
    public struct SignalLabels: Sendable, Hashable {
        public var tenant: String
        public var event: SignalEvent
        public var result: SignalResult
    }
}
