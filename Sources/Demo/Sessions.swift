import Time

/// The stale and ended tokens and sessions of one sample backend.
actor Sessions {
    /// How the backend treats a token that verifies.
    enum Standing: Sendable {
        /// Refused by resources, but accepted for a refresh.
        case stale
        /// Refused everywhere: logged out, or replaced by a refresh.
        case ended
    }

    private var standings = BoundedMap<String, Standing, Never>(capacity: 10_000)

    /// Nil for a token or session without a mark.
    func standing(of id: String) -> Standing? {
        standings[id]
    }

    /// - Parameter id: A `jti` or `sid`. An ended one stays ended.
    func mark(_ id: String, _ standing: Standing) {
        if case .ended? = standings[id] { return }
        standings.insert(standing, for: id)
    }
}
