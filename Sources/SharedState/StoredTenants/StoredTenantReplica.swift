/// What an instance knows of the stored tenants, and what it has to read. A value without I/O.
struct StoredTenantReplica: Sendable {
    /// By name.
    private(set) var known: [String: StoredTenants.Stored] = [:]
    /// Whether all were read once.
    private(set) var isLoaded = false
    /// The store's last change when all were read.
    private(set) var changeID: [UInt8]?
    /// Names that were announced since they were read.
    private(set) var announced: Set<String> = []
    /// Whether announcements may have been missed.
    private(set) var mustList = true

    /// Beyond this many, listing all is cheaper than reading each.
    private static let mostAnnounced = 1000

    mutating func announce(_ name: String) {
        announced.insert(name)
        if announced.count > Self.mostAnnounced { missed() }
    }

    mutating func missed() {
        mustList = true
        announced = []
    }

    /// Takes what has to be read, which counts as read from now on; give it back with ``failed(_:_:)`` if it was not.
    mutating func take() -> (names: Set<String>, listing: Bool) {
        defer {
            announced = []
            mustList = false
        }
        return (announced, mustList)
    }

    mutating func failed(_ names: Set<String>, listing: Bool) {
        announced.formUnion(names)
        if listing { missed() }
    }

    /// The ones of a complete list that have to be read, since another version is known or none.
    func unknown(of heads: [StoredTenantHead]) -> [StoredTenantHead] {
        heads.filter { known[$0.name]?.head != $0 }
    }

    /// - Parameters:
    ///   - heads: All of the store.
    ///   - texts: Of those that were unknown.
    /// - Returns: Whether anything differs.
    mutating func list(_ heads: [StoredTenantHead], _ texts: [StoredTenants.Stored], changeID: [UInt8]?) -> Bool {
        let names = Set(heads.map(\.name))
        let gone = known.keys.filter { !names.contains($0) }
        for name in gone { known[name] = nil }
        for text in texts { known[text.head.name] = text }
        let wasLoaded = isLoaded
        isLoaded = true
        self.changeID = changeID
        return !gone.isEmpty || !texts.isEmpty || !wasLoaded
    }

    /// Takes copies for what the store had.
    ///
    /// - Returns: False if it was read meanwhile.
    mutating func restore(_ copies: [StoredTenants.Stored]) -> Bool {
        guard !isLoaded else { return false }
        for copy in copies where known[copy.head.name] == nil { known[copy.head.name] = copy }
        return true
    }

    /// - Parameter stored: Nil if the store has none of this name.
    /// - Returns: Whether it differs.
    mutating func read(_ name: String, _ stored: StoredTenants.Stored?) -> Bool {
        guard known[name]?.head != stored?.head else { return false }
        known[name] = stored
        return true
    }

    /// In the order of their names.
    var all: [StoredTenants.Stored] { known.values.sorted { $0.head.name < $1.head.name } }
}
