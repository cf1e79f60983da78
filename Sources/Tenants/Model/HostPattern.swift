/// A host of a tenant: exact, or with `*.` for one label.
public enum HostPattern: Sendable, Hashable {
    /// Lower case, no port, no trailing dot; an IPv6 address keeps its brackets.
    case exact(String)
    /// `*.example.com` is kept as `example.com`.
    case oneLabelBelow(String)
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
