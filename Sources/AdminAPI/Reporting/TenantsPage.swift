/// A part of the list of tenants, in the order of the bytes of their names, that the caller may see.
struct TenantsPage: Sendable {
    static let parameters = ["cursor", "limit"]
    static let maximum = 1000

    /// The last name of the previous page; nil for the first page.
    var cursor: String?
    var limit = Self.maximum
    let caller: AdminCaller

    init(_ parameters: [String: String], _ caller: AdminCaller) throws(AdminProblem) {
        self.caller = caller
        cursor = parameters["cursor"]
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
