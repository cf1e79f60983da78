/// A host of a tenant: exact, or with `*.` for one label.
public enum HostPattern: Sendable, Hashable {
    /// Lower case, no port, no trailing dot; an IPv6 address keeps its brackets.
    case exact(String)
    /// `*.example.com` is kept as `example.com`.
    case oneLabelBelow(String)

    /// Whether some host matches both.
    public func overlaps(_ other: HostPattern) -> Bool {
        switch (self, other) {
        case (.exact(let one), .exact(let two)), (.oneLabelBelow(let one), .oneLabelBelow(let two)): one == two
        case (.exact(let host), .oneLabelBelow(let parent)), (.oneLabelBelow(let parent), .exact(let host)):
            host.firstIndex(of: ".").map { host[host.index(after: $0)...] == parent } ?? false
        }
    }
}

extension HostPattern: CustomStringConvertible {
    /// As written in tenants.yaml.
    public var description: String {
        switch self {
        case .exact(let host): host
        case .oneLabelBelow(let parent): "*.\(parent)"
        }
    }
}
