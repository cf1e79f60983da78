import ConfigurationText

/// Whose lines a position is in: a tenant's, a template's, or neither's.
struct DocumentOrigins: Sendable {
    enum Owner: Sendable, Equatable {
        case tenant(String)
        case template(String)
        /// The gateway's settings, or what stands outside of both.
        case none
    }

    private struct Start: Sendable {
        var position: Position
        var owner: Owner
    }

    /// By their source, in the order of its lines.
    private var starts: [DocumentSource: [Start]] = [:]
    /// By sources that are one tenant as a whole.
    private var tenants: [DocumentSource: String] = [:]

    /// - Parameter root: Of tenants.yaml or of an included file.
    mutating func add(_ root: DocumentNode, of source: DocumentSource) {
        var found: [Start] = []
        for entry in root.entries {
            found.append(Start(position: entry.keyPosition, owner: .none))
            switch entry.key {
            case Schema.root.tenants.name:
                found += entry.value.entries.map { Start(position: $0.keyPosition, owner: .tenant($0.key)) }
            case Schema.root.templates.name:
                found += entry.value.entries.map { Start(position: $0.keyPosition, owner: .template($0.key)) }
            default: break
            }
        }
        // Merge keys may bring tenants from other places of the file.
        starts[source] = found.sorted { $0.position < $1.position }
    }

    mutating func reserve(tenants count: Int) { tenants.reserveCapacity(count) }

    /// A source that is one tenant as a whole.
    mutating func add(tenant name: String, of source: DocumentSource) {
        tenants[source] = name
    }

    func owner(of position: Position) -> Owner {
        if let tenant = tenants[position.source] { return .tenant(tenant) }
        guard let starts = starts[position.source] else { return .none }
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? .none : starts[low - 1].owner
    }
}
