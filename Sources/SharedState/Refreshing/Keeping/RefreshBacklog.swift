import Store

/// What refreshes brought and the store has not taken yet. A refresh token in it can be had nowhere else.
struct RefreshBacklog: Sendable {
    struct Entry: Sendable {
        /// Counts what was added; an entry with another number is another one.
        let number: UInt64
        var publication: RefreshPublication
        let session: RefreshSession
        /// The flight's, as long as it is held: nobody else calls before this is written.
        var lease: Lease?
        var renewing: Task<Void, Never>?
        /// For the question whether the session was revoked.
        let marks: [RevocationMarks]
    }

    static let most = 10_000

    private var entries: [StoreKey: Entry] = [:]
    /// In the order in which they came; one whose number is not its key's any more is gone.
    private var order: [(key: StoreKey, number: UInt64)] = []
    private var first = 0
    private var last: UInt64 = 0
    /// By where the vault would have them: what has it.
    private var tokens: [StoreKey: StoreKey] = [:]

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// The oldest first.
    var all: [Entry] {
        order[first...].compactMap { place in
            entries[place.key].flatMap { $0.number == place.number ? $0 : nil }
        }
    }

    func entry(_ keys: RefreshKeys) -> Entry? { entries[keys.result] }

    /// - Returns: What is not kept any more for it: the earlier one of the same name, and an older one if there are too
    ///   many; and whether there were.
    mutating func add(
        _ publication: RefreshPublication,
        of session: RefreshSession,
        lease: Lease?,
        marks: [RevocationMarks]
    ) -> (dropped: [Entry], isFull: Bool) {
        var dropped: [Entry] = []
        let key = publication.keys.result
        if let earlier = remove(publication.keys) { dropped.append(earlier) }
        // The refresh used what an earlier one under another name brought.
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

    /// When most places are of what is gone, so that each moves seldom.
    private mutating func compact() {
        guard order.count - first > 64 + 2 * entries.count else { return }
        order = order[first...].filter { entries[$0.key]?.number == $0.number }
        first = 0
    }

    /// The refresh token that the session has now, by its new name.
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
