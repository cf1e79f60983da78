import Synchronization

/// What positions are in: tenants.yaml itself, a file that it includes, or a tenant of the store.
///
/// It is a number, so that positions and lines are small and are copied on any thread without counting references. Its
/// name is in a table of the process, which keeps it until the process ends: a name is there once, however often the
/// configuration is read.
public struct DocumentSource: Sendable, Hashable {
    private struct Table {
        var names: [String] = []
        var indices: [String: UInt32] = [:]
    }

    /// tenants.yaml, whatever its path is.
    public static let main = DocumentSource(index: 0)

    private static let table = Mutex(Table())

    /// 0 for tenants.yaml; else one more than the index of the name.
    let index: UInt32

    private init(index: UInt32) {
        self.index = index
    }

    /// - Parameter name: As messages show it: a path, or like `store:shop`.
    init(named name: String) {
        index = Self.table.withLock { table in
            if let known = table.indices[name] { return known }
            table.names.append(name)
            let index = UInt32(table.names.count)
            table.indices[name] = index
            return index
        }
    }

    /// nil for tenants.yaml.
    public var name: String? {
        index == 0 ? nil : Self.table.withLock { $0.names[Int(index) - 1] }
    }
}
