/// What one sample backend remembers of the tokens it gave out.
actor Sessions {
    /// How the backend thinks of a token that verifies.
    enum Standing: Sendable {
        /// Refused by resources, but good enough for a refresh.
        case stale
        /// Refused everywhere: logged out, or replaced by a refresh.
        case ended
    }

    /// What stands behind a refresh token.
    struct Grant: Sendable {
        let session: String
        let user: SampleUser
        var isUsed = false
    }

    private var standings = BoundedTable<String, Standing>()
    private var grants = BoundedTable<String, Grant>()

    /// Nil for a token or session that nothing is held against, also one that was never seen.
    func standing(of id: String) -> Standing? {
        standings[id]
    }

    /// - Parameter id: A `jti` or `sid`. What has ended stays so.
    func mark(_ id: String, _ standing: Standing) {
        if case .ended? = standings[id] { return }
        standings.set(standing, for: id)
    }

    /// Gives out a refresh token for `session`.
    func issueRefreshToken(session: String, user: SampleUser) -> String {
        let token = RandomText.make(bytes: 32)
        grants.set(Grant(session: session, user: user), for: token)
        return token
    }

    /// Uses a refresh token up. A second use ends the session (RFC 9700 section 4.14.2).
    ///
    /// - Returns: Nil for a token that is unknown, used, or of an ended session.
    func redeem(_ token: String) -> Grant? {
        guard var grant = grants[token], standings[grant.session] == nil else { return nil }
        guard !grant.isUsed else {
            standings.set(.ended, for: grant.session)
            return nil
        }
        grant.isUsed = true
        grants.set(grant, for: token)
        return grant
    }
}
