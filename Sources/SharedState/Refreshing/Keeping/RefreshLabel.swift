/// What `gatehouse_refresh_total` calls a tenant's refreshes.
enum RefreshLabel: String, Sendable, CaseIterable {
    /// A provider was asked.
    case started
    /// It gave new tokens.
    case renewed
    /// A request got tokens that were got for another.
    case shared
    /// A request was told that its session is over.
    case refused
    /// A request was told that there are no new tokens now.
    case unavailable
}
