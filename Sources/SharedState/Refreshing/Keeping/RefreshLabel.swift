/// What `gatehouse_refresh_total` calls a tenant's refreshes.
enum RefreshLabel: String, Sendable, CaseIterable {
    /// A provider was called.
    case started
    /// It issued new tokens.
    case renewed
    /// A request got the tokens of another's refresh.
    case shared
    /// A request's session is over.
    case refused
    /// A request got no new tokens for now.
    case unavailable
}
