/// What the log tells of a refresh in the course of one request.
struct RefreshNote {
    /// The raw values are words of the log and of the metric.
    enum Event: String, CaseIterable {
        /// The token had expired: the request went to the backend with a new one.
        case renewed
        /// The backend had refused the token: the request was made again with a new one.
        case replayed
        /// New tokens were there, but the request could not be made again.
        case notReplayable = "not_replayable"
        /// New tokens that were got in the background went along with the answer.
        case delivered
        case refused
        case unavailable

        /// Whether it is counted by request; the rest is counted where the refresh is made.
        var isOfRequest: Bool {
            switch self {
            case .replayed, .notReplayable, .delivered: true
            case .renewed, .refused, .unavailable: false
            }
        }

        /// Its place among all cases: counters are arrays.
        var index: Int {
            switch self {
            case .renewed: 0
            case .replayed: 1
            case .notReplayable: 2
            case .delivered: 3
            case .refused: 4
            case .unavailable: 5
            }
        }
    }

    var event: Event
    /// Why there are no new tokens, or the request was not made again.
    var reason: String?
    var isShared = false

    /// Whether the client got a new token.
    var isRefreshed: Bool {
        switch event {
        case .renewed, .replayed, .notReplayable, .delivered: true
        case .refused, .unavailable: false
        }
    }
}
