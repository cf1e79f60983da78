import Synchronization
import Time

/// What positions are in: tenants.yaml itself, a file that it includes, or a tenant of the store.
///
/// It is a number, so that positions and lines are small and are copied on any thread without counting references. Its
/// name is in a table of the process: once, however often the configuration is read.
public struct DocumentSource: Sendable, Hashable {
    /// tenants.yaml, whatever its path is.
    public static let main = DocumentSource(index: 0)

    private static let table = Mutex(SourceNames())

    /// 0 for tenants.yaml; else the number of the name.
    package let index: UInt32

    private init(index: UInt32) {
        self.index = index
    }

    /// - Parameter name: As messages show it: a path, or like `store:shop`.
    package init(named name: String) {
        index = Self.table.withLock { $0.number(of: name) }
    }

    /// nil for tenants.yaml, and for a stored tenant that is long gone.
    public var name: String? {
        index == 0 ? nil : Self.table.withLock { $0.name(index) }
    }

    /// Forgets names that begin with `prefix` and are not in use.
    ///
    /// - Parameters:
    ///   - wanted: How many are in use.
    ///   - all: Those; asked the few times that anything is forgotten.
    package static func forget(prefix: String, wanted: Int, _ all: () -> Set<String>) {
        table.withLock { names in
            var known: Set<String>?
            names.forget(prefix: prefix, wanted: wanted, at: Clock.monotonic()) { name in
                let set = known ?? all()
                known = set
                return set.contains(name)
            }
        }
    }
}
