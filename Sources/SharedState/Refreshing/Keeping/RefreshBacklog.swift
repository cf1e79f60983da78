import Store

/// Results of refreshes that are not in the store yet. A refresh token among them exists nowhere else.
struct RefreshBacklog: Sendable {
    struct Entry: Sendable {
        /// Counts the additions, to distinguish an entry from a later one with the same key.
        let number: UInt64
        var publication: RefreshPublication
        let session: RefreshSession
        /// The flight's, while it is held: no other instance calls before this is written.
        var lease: Lease?
        var renewing: Task<Void, Never>?
        /// To check whether the session is revoked: the old token's, and the new one's if there is one.
        let marks: [RevocationMarks]
    }

    static let most = 10_000

    private var entries: [StoreKey: Entry] = [:]
    /// The oldest first; one whose number is no longer its key's was removed.
    private var order: [(key: StoreKey, number: UInt64)] = []
    private var first = 0
    private var last: UInt64 = 0
    /// By the key of the vault that a refresh token is for: the entry that has it.
    private var tokens: [StoreKey: StoreKey] = [:]

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// The oldest first.
    var all: [Entry] {
        order[first...].compactMap { key, number in
            entries[key].flatMap { $0.number == number ? $0 : nil }
        }
    }

    func entry(_ keys: RefreshKeys) -> Entry? { entries[keys.result] }

    /// - Returns: The entries that it replaces, an earlier one of the session and the oldest if there are too many; and
    ///   whether there were too many.
    mutating func add(
        _ publication: RefreshPublication,
        of session: RefreshSession,
        lease: Lease?,
        marks: [RevocationMarks]
    ) -> (dropped: [Entry], isFull: Bool) {
        var dropped: [Entry] = []
        let key = publication.keys.result
        if let earlier = remove(publication.keys) { dropped.append(earlier) }
        // The refresh has used the refresh token of an earlier result under another name.
        if let owner = tokens.removeValue(forKey: publication.keys.vault) {
            entries[owner]?.publication.vault?.isUsedUp = true
        }
        last += 1
        entries[key] = Entry(number: last, publication: publication, session: session, lease: lease, marks: marks)
        order.append((key, last))
        if let change = publication.vault, change.refreshToken != nil { tokens[change.keys.vault] = key }
        let isFull = entries.count > Self.most
        if isFull, let oldest = dropOldest() { dropped.append(oldest) }
        return (dropped, isFull)
    }

    mutating func update(_ keys: RefreshKeys, _ change: (inout Entry) -> Void) {
        guard var entry = entries[keys.result] else { return }
        change(&entry)
        entries[keys.result] = entry
    }

    @discardableResult
    mutating func remove(_ keys: RefreshKeys) -> Entry? { remove(keys.result) }

    private mutating func remove(_ key: StoreKey) -> Entry? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        if let change = entry.publication.vault, tokens[change.keys.vault] == key { tokens[change.keys.vault] = nil }
        compact()
        return entry
    }

    private mutating func dropOldest() -> Entry? {
        while first < order.count {
            let (key, number) = order[first]
            first += 1
            if entries[key]?.number == number { return remove(key) }
        }
        return nil
    }

    /// Drops removed ones once they are the majority, so that each key moves rarely.
    private mutating func compact() {
        guard order.count - first > 64 + 2 * entries.count else { return }
        order = order[first...].filter { entries[$0.key]?.number == $0.number }
        first = 0
    }

    /// The session's latest refresh token.
    func token(for keys: RefreshKeys) -> RefreshVault.Reading? {
        guard let owner = tokens[keys.vault], let change = entries[owner]?.publication.vault,
            let refreshToken = change.refreshToken
        else { return nil }
        return RefreshVault.Reading(
            refreshToken: refreshToken,
            origin: change.origin,
            generation: change.generation
        )
    }
}
