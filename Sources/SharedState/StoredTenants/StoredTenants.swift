public import Store

/// The tenants in the store: a text each, with its last versions. Every write depends on the version that it replaces.
///
/// A text is sealed as a whole, since it may have secrets. What is kept of a tenant is in four collections, which change
/// together: its head, its versions, the texts of these, and its hosts, so that no two tenants get one host.
public struct StoredTenants: Sendable {
    /// Maximum number of stored tenants.
    public static let limit = 20_000
    /// Maximum bytes of one text.
    public static let maximumBytes = 1 << 20
    /// Of announcements; the subject is the tenant's name.
    public static let topic = "tenants"

    static let heads = StoreCollection("tenant")
    static let histories = StoreCollection("tenant-versions")
    static let texts = StoreCollection("tenant-text")
    static let routes = StoreCollection("tenant-host")
    static let deleted = StoreCollection("tenant-deleted")
    /// Has one entry, whose value is another one after each change.
    static let changes = StoreCollection("tenant-change")
    static let lastChange = "last"

    let store: any Store
    let sealer: Sealer?
    /// Maximum number of deleted tenants whose versions are kept; the one that was deleted first goes first.
    let deletedLimit: Int

    /// - Parameter sealer: Nil without `GATEHOUSE_KEY`: nothing can be written, and texts cannot be read.
    public init(store: any Store, sealer: Sealer?) {
        self.init(store: store, sealer: sealer, deletedLimit: CollectionLimits.page)
    }

    /// - Parameter deletedLimit: At most ``CollectionLimits/page``.
    init(store: any Store, sealer: Sealer?, deletedLimit: Int) {
        self.store = store
        self.sealer = sealer
        self.deletedLimit = deletedLimit
    }

    /// A text with its version.
    public struct Stored: Sendable {
        public var head: StoredTenantHead
        public var text: String
        /// Whether an older key than the first opened it.
        var isOutdated = false
    }

    // MARK: Reading

    /// The tenants in the order of their names.
    ///
    /// - Parameters:
    ///   - name: The last one of the previous page; nil for the first page.
    ///   - limit: The maximum number, at most 1000.
    public func heads(after name: String?, limit: Int) async throws(StoredTenantProblem) -> [StoredTenantHead] {
        try await mapping { () async throws(StoreError) in
            try await store.entries(of: Self.heads, after: name, limit: limit).map(Self.head)
        }
    }

    /// Identifies what the store has; another one after each change. Nil if nothing was ever stored.
    func lastChangeID() async throws(StoredTenantProblem) -> [UInt8]? {
        try await mapping { () async throws(StoreError) in
            try await store.entries([Self.lastChange], of: Self.changes).first?.value
        }
    }

    public func head(of name: String) async throws(StoredTenantProblem) -> StoredTenantHead? {
        try await entry(name)?.head
    }

    /// - Returns: Nil if there is none of this name.
    public func tenant(_ name: String) async throws(StoredTenantProblem) -> Stored? {
        // Between the two reads another version may have become the present one; then both are read again.
        for _ in 0..<Self.tries {
            guard let head = try await head(of: name) else { return nil }
            let (texts, unreadable) = try await texts(of: [head])
            if let text = texts.first { return text }
            if let error = unreadable.first?.error { throw .store(error) }
        }
        throw .store(.garbled("the text of the tenant \(name)"))
    }

    /// The heads of those that there are, and the names of those whose head cannot be read.
    func heads(
        of names: [String]
    ) async throws(StoredTenantProblem) -> (heads: [StoredTenantHead], unreadable: [String]) {
        let entries = try await mapping { () async throws(StoreError) in
            try await store.entries(names, of: Self.heads)
        }
        let heads = entries.compactMap { StoredTenantHead(name: $0.name, json: $0.value) }
        let read = Set(heads.map(\.name))
        return (heads, entries.map(\.name).filter { !read.contains($0) })
    }

    /// The texts of these versions, without those that were dropped meanwhile, and the names of those that cannot be
    /// opened.
    func texts(
        of heads: [StoredTenantHead]
    ) async throws(StoredTenantProblem) -> (texts: [Stored], unreadable: [(name: String, error: StoreError)]) {
        guard let sealer else { throw .noSealingKey }
        return try await mapping { () async throws(StoreError) in
            let names = heads.map { Self.textName($0.name, $0.tag) }
            let entries = try await store.entries(names, of: Self.texts)
            let values = Dictionary(entries.map { ($0.name, $0.value) }) { first, _ in first }
            var texts: [Stored] = []
            var unreadable: [(name: String, error: StoreError)] = []
            for (head, name) in zip(heads, names) {
                guard let sealed = values[name] else { continue }
                do throws(StoreError) {
                    let (text, isOutdated) = try await open(sealed, name, head.name, sealer)
                    texts.append(Stored(head: head, text: text, isOutdated: isOutdated))
                } catch {
                    unreadable.append((head.name, error))
                }
            }
            return (texts, unreadable)
        }
    }

    /// The versions that are kept, the newest first; of a deleted tenant too. Empty if there never was one.
    public func versions(of name: String) async throws(StoredTenantProblem) -> [StoredTenantVersion] {
        try await history(name).history.versions.reversed()
    }

    /// The text of an earlier version.
    public func text(of name: String, version number: Int) async throws(StoredTenantProblem) -> String {
        guard let sealer else { throw .noSealingKey }
        let version = try await versions(of: name).first { $0.number == number }
        guard let version, version.action != .delete else { throw .unknownVersion(number) }
        return try await mapping { () async throws(StoreError) in
            let textName = Self.textName(name, version.tag)
            guard let sealed = try await store.entries([textName], of: Self.texts).first?.value else {
                throw .garbled("the text of version \(number) of the tenant \(name)")
            }
            return try await open(sealed, textName, name, sealer).text
        }
    }

    /// Seals the texts of all versions with the first key, after a change of keys: those of earlier versions are hardly ever
    /// read. What another instance has changed meanwhile is left as it is.
    func sealAnew() async throws(StoredTenantProblem) {
        guard let sealer else { return }
        var last: String?
        while true {
            let page = try await mapping { () async throws(StoreError) in
                try await store.entries(of: Self.texts, after: last, limit: Self.sealedAtOnce)
            }
            for entry in page {
                let tenant = String(entry.name.prefix { $0 != "/" })
                _ = try? await open(entry.value, entry.name, tenant, sealer)
            }
            guard page.count == Self.sealedAtOnce else { return }
            last = page.last?.name
        }
    }

    /// At most as many MiB at once.
    private static let sealedAtOnce = 8

    // MARK: In the store

    static let tries = 4

    static func textName(_ name: String, _ tag: String) -> String { "\(name)/\(tag)" }

    static func sealingKey(_ textName: String, of tenant: String) -> StoreKey {
        StoreKey(tenant: tenant, kind: Self.texts.name, name: textName)
    }

    private func open(
        _ sealed: [UInt8],
        _ textName: String,
        _ tenant: String,
        _ sealer: Sealer
    ) async throws(StoreError) -> (text: String, isOutdated: Bool) {
        let key = Self.sealingKey(textName, of: tenant)
        let (bytes, isOutdated) = try sealer.open(sealed, for: key)
        if isOutdated {
            let anew = try sealer.seal(bytes, for: key)
            // The text was read: failing to write it is no reason to withhold it. The next read tries again.
            _ = try? await store.change([EntryChange(Self.texts, textName, if: .value(sealed), to: anew)])
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .garbled("the text \(textName)") }
        return (text, isOutdated)
    }

    func entry(_ name: String) async throws(StoredTenantProblem) -> (head: StoredTenantHead, bytes: [UInt8])? {
        try await mapping { () async throws(StoreError) in
            guard let entry = try await store.entries([name], of: Self.heads).first else { return nil }
            return (try Self.head(entry), entry.value)
        }
    }

    func history(
        _ name: String
    ) async throws(StoredTenantProblem) -> (history: StoredTenantHistory, condition: EntryChange.Condition) {
        try await mapping { () async throws(StoreError) in
            guard let bytes = try await store.entries([name], of: Self.histories).first?.value else {
                return (StoredTenantHistory(), .absent)
            }
            guard let history = StoredTenantHistory(json: bytes) else {
                throw .garbled("the versions of the tenant \(name)")
            }
            return (history, .value(bytes))
        }
    }

    private static func head(_ entry: StoreEntry) throws(StoreError) -> StoredTenantHead {
        guard let head = StoredTenantHead(name: entry.name, json: entry.value) else {
            throw .garbled("the tenant \(entry.name)")
        }
        return head
    }

    func mapping<Result>(
        _ body: () async throws(StoreError) -> Result
    ) async throws(StoredTenantProblem) -> Result {
        do throws(StoreError) { return try await body() } catch { throw .store(error) }
    }
}
