import Time

/// The stale and ended tokens and sessions of one sample backend.
actor Sessions {
    /// How the backend treats a token that verifies.
    enum Status: Sendable {
        /// Refused by resources, but accepted for a refresh.
        case stale
        /// Refused everywhere: logged out, or replaced by a refresh.
        case ended
    }

    private var statuses = BoundedMap<String, Status, Never>(capacity: 10_000)

    /// Nil for a token or session without a mark.
    func status(of id: String) -> Status? {
        statuses[id]
    }

    /// - Parameter id: A `jti` or `sid`. An ended one stays ended.
    func mark(_ id: String, _ status: Status) {
        if case .ended? = statuses[id] { return }
        statuses.insert(status, for: id)
    }
}
