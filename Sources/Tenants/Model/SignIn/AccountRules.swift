/// How accounts are found and made.
public struct AccountRules: Sendable, Equatable {
    /// Tenants of one realm share accounts; nil: the tenant has its own.
    public var realm: String?
    /// The role that an account gets when it signs in here first; nil: none.
    public var role: String?
    public var linkByEmail = Schema.accounts.linkByEmail.default
    /// The hook that decides instead: https, or http on loopback.
    public var hook: String?
}
