/// What became of the accounts of a realm while an app moves to another Apple team.
public struct AppleTransferCounts: Sendable, Equatable {
    /// The maximum number of subjects that are kept by name.
    private static let mostNamed = 20

    public var accounts = 0
    /// Logins with Apple.
    public var logins = 0
    /// Done by this run; in a dry run, what it would do.
    public var done = 0
    /// Done before.
    public var earlier = 0
    /// Without a transfer identifier, so that nothing is known of them at the new team.
    public var missing = 0
    /// Apple knows no such user.
    public var refused = 0
    /// The new team's user has an account of their own already.
    public var taken = 0
    /// Accounts that cannot be read.
    public var unreadable = 0
    /// The accounts of those that were refused or taken; at most 20.
    public private(set) var named: [String] = []

    public init() {}

    /// Whether everybody was taken along.
    public var isComplete: Bool { missing + refused + taken + unreadable == 0 }

    /// Whether Apple knows nobody, so that it may be the client or the team and not the users.
    public var isEveryoneRefused: Bool { refused > 0 && refused == logins }

    mutating func name(_ subject: String) {
        if named.count < Self.mostNamed, !named.contains(subject) { named.append(subject) }
    }

    mutating func add(_ other: AppleTransferCounts) {
        accounts += other.accounts
        logins += other.logins
        done += other.done
        earlier += other.earlier
        missing += other.missing
        refused += other.refused
        taken += other.taken
        unreadable += other.unreadable
        for subject in other.named { name(subject) }
    }
}
