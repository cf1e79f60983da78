import ConfigurationText

/// The lines of a tenant's keys, for explanations.
struct TenantLines {
    /// Levels of keys; explanations use none deeper.
    private static let depth = 3

    private var paths: [String] = []
    private var lines: [SourceLine] = []

    /// - Parameter issuers: The lines of the trusted issuers in the order of the policy, where one entry of the file may
    ///   become several.
    /// - Returns: Lines by the key's path below the tenant, like `rate_limits[0].by`; the tenant's own line by the empty
    ///   path.
    static func read(_ node: DocumentNode, issuers: [SourceLine], _ session: ReadingSession) -> KeyLines {
        var found = TenantLines()
        found.add("", node.position)
        for entry in node.entries where entry.key != Schema.tenant.tests.name {
            found.add(entry.key, entry.keyPosition)
            found.add(entry.value, at: entry.key, depth: depth - 1)
        }
        for (index, line) in issuers.enumerated() {
            found.paths.append("authenticate.issuers[\(index)]")
            found.lines.append(line)
        }
        return KeyLines(places: session.places(of: found.paths), lines: found.lines)
    }

    private mutating func add(_ path: String, _ position: Position) {
        paths.append(path)
        lines.append(position.sourceLine)
    }

    private mutating func add(_ node: DocumentNode, at path: String, depth: Int) {
        guard depth > 0 else { return }
        for entry in node.entries {
            let below = "\(path).\(entry.key)"
            add(below, entry.keyPosition)
            add(entry.value, at: below, depth: depth - 1)
        }
        for (index, item) in node.items.enumerated() {
            let below = "\(path)[\(index)]"
            add(below, item.position)
            add(item, at: below, depth: depth - 1)
        }
    }
}
