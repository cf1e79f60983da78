/// The lines of a tenant's keys, for explanations.
enum TenantLines {
    /// Levels of keys; explanations use none deeper.
    private static let depth = 3

    /// - Parameter issuers: The lines of the trusted issuers in the order of the policy, where one entry of the file may
    ///   become several.
    /// - Returns: Lines by the key's path below the tenant, like `rate_limits[0].by`; the tenant's own line by the empty
    ///   path.
    static func read(_ node: DocumentNode, issuers: [SourceLine], _ session: ReadingSession) -> KeyLines {
        var lines = ["": node.position.sourceLine]
        for entry in node.entries where entry.key != Schema.tenant.tests.name {
            lines[entry.key] = entry.keyPosition.sourceLine
            add(entry.value, at: entry.key, depth: depth - 1, to: &lines)
        }
        for (index, line) in issuers.enumerated() { lines["authenticate.issuers[\(index)]"] = line }
        return KeyLines(lines, sharing: session.shared)
    }

    private static func add(_ node: DocumentNode, at path: String, depth: Int, to lines: inout [String: SourceLine]) {
        guard depth > 0 else { return }
        for entry in node.entries {
            let below = "\(path).\(entry.key)"
            lines[below] = entry.keyPosition.sourceLine
            add(entry.value, at: below, depth: depth - 1, to: &lines)
        }
        for (index, item) in node.items.enumerated() {
            let below = "\(path)[\(index)]"
            lines[below] = item.position.sourceLine
            add(item, at: below, depth: depth - 1, to: &lines)
        }
    }
}
