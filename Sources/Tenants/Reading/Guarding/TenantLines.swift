/// Where a tenant's keys stand in the file, for explanations.
enum TenantLines {
    /// Keys below each other; nothing that is explained stands deeper.
    private static let depth = 3

    /// - Parameter issuers: The lines of the issuers that the tenant trusts, in the order of its policy: one entry of
    ///   the file may stand for several.
    /// - Returns: Lines by the path of the key below the tenant, like `rate_limits[0].by`; the tenant's own at the
    ///   empty path.
    static func read(_ node: DocumentNode, issuers: [Int]) -> [String: Int] {
        var lines = ["": node.place.line]
        for entry in node.entries where entry.key != Schema.tenant.tests.name {
            lines[entry.key] = entry.keyPlace.line
            add(entry.value, at: entry.key, depth: depth - 1, to: &lines)
        }
        for (place, line) in issuers.enumerated() { lines["authenticate.issuers[\(place)]"] = line }
        return lines
    }

    private static func add(_ node: DocumentNode, at path: String, depth: Int, to lines: inout [String: Int]) {
        guard depth > 0 else { return }
        for entry in node.entries {
            let below = "\(path).\(entry.key)"
            lines[below] = entry.keyPlace.line
            add(entry.value, at: below, depth: depth - 1, to: &lines)
        }
        for (place, item) in node.items.enumerated() {
            let below = "\(path)[\(place)]"
            lines[below] = item.place.line
            add(item, at: below, depth: depth - 1, to: &lines)
        }
    }
}
