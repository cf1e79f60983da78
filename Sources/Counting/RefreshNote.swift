/// The effect of a refresh on one request, for the log.
public struct RefreshNote: Sendable {
    /// The raw values are the labels in the log and the metric.
    public enum Event: String, CaseIterable, Sendable {
        /// The token had expired: the request went to the backend with a new one.
        case renewed
        /// The backend had refused the token: the request was made again with a new one.
        case replayed
        /// New tokens were there, but the request could not be made again.
        case notReplayable = "not_replayable"
        /// New tokens of a background refresh were sent with the response.
        case delivered
        case refused
        case unavailable
        /// The token was a former issuer's: the response brought a session of the tenant's own.
        case adopted

        /// Whether it is counted by request; the others are counted with the refresh.
        public var isOfRequest: Bool {
            switch self {
            case .replayed, .notReplayable, .delivered: true
            case .renewed, .refused, .unavailable, .adopted: false
            }
        }

        /// The index among all cases, for counters in arrays.
        public var index: Int {
            switch self {
            case .renewed: 0
            case .replayed: 1
            case .notReplayable: 2
            case .delivered: 3
            case .refused: 4
            case .unavailable: 5
            case .adopted: 6
            }
        }
    }

    public var event: Event
    /// Why there are no new tokens, or the request was not made again.
    public var reason: String?
    /// Whether another request has caused the refresh.
    public var isShared: Bool

    public init(event: Event, reason: String? = nil, isShared: Bool = false) {
        self.event = event
        self.reason = reason
        self.isShared = isShared
    }

    /// Whether the client got a new token.
    public var isRefreshed: Bool {
        switch event {
        case .renewed, .replayed, .notReplayable, .delivered, .adopted: true
        case .refused, .unavailable: false
        }
    }
}
