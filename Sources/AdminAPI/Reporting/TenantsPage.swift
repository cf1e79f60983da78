import Tenants

/// A part of the list of tenants, in the order of the bytes of their names, that the caller may see.
struct TenantsPage: Sendable {
    static let parameters = ["cursor", "limit", "search"]
    static let maximum = 1000

    /// The last name of the previous page; nil for the first page.
    var cursor: String?
    var limit = Self.maximum
    /// What the name or a host must contain, in lower case; empty for all.
    var search = ""
    let caller: AdminCaller

    init(_ parameters: [String: String], _ caller: AdminCaller) throws(AdminProblem) {
        self.caller = caller
        cursor = parameters["cursor"]
        search = (parameters["search"] ?? "").lowercased()
        if let text = parameters["limit"] {
            guard let limit = Int(text), (1...Self.maximum).contains(limit) else {
                throw .badRequest("\"limit\" must be a number from 1 to \(Self.maximum)")
            }
            self.limit = limit
        }
    }

    /// Whether the caller may see all tenants.
    var isWhole: Bool { caller.may([.read], tenant: nil) }

    func mayShow(_ name: String) -> Bool { caller.may([.read, .tenants], tenant: name) }

    /// Whether the search is for this tenant.
    func isSearched(_ tenant: Tenant) -> Bool {
        search.isEmpty || tenant.name.lowercased().contains(search)
            || tenant.hosts.contains { $0.description.lowercased().contains(search) }
    }

    /// - Returns: The part, and the cursor of the next one; nil after the last.
    func part<Item>(of items: [Item], name: (Item) -> String) -> (items: [Item], next: String?) {
        let start = cursor.map { Array($0.utf8) } ?? []
        let following = items.filter { item in
            let name = name(item)
            return mayShow(name) && (start.isEmpty || start.lexicographicallyPrecedes(name.utf8))
        }.sorted { name($0).utf8.lexicographicallyPrecedes(name($1).utf8) }
        let part = Array(following.prefix(limit))
        return (part, part.count < following.count ? part.last.map(name) : nil)
    }
}
