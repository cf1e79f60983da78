/// What one sample backend holds against tokens and sessions.
actor Sessions {
    /// How the backend thinks of a token that verifies.
    enum Standing: Sendable {
        /// Refused by resources, but good enough for a refresh.
        case stale
        /// Refused everywhere: logged out, or replaced by a refresh.
        case ended
    }

    private var standings = BoundedTable<String, Standing>()

    /// Nil for a token or session that nothing is held against, also one that was never seen.
    func standing(of id: String) -> Standing? {
        standings[id]
    }

    /// - Parameter id: A `jti` or `sid`. What has ended stays so.
    func mark(_ id: String, _ standing: Standing) {
        if case .ended? = standings[id] { return }
        standings.set(standing, for: id)
    }
}
