import Tenants

/// A client's allowed redirect target: any scheme and port, since a demo's are not known beforehand; host and path must
/// match exactly.
struct RedirectTarget: Sendable, Equatable {
    let host: HostPattern
    let path: String

    /// Whether `uri` matches, without query and fragment.
    func allows(_ uri: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: uri.hasPrefix) else { return false }
        let rest = uri.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        guard rest.dropFirst(authority.count) == path else { return false }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let name = parts.first, parts.dropFirst().allSatisfy({ UInt16($0) != nil }) else {
            return false
        }
        switch host {
        case .exact(let host): return name == host
        case .oneLabelBelow(let domain): return name.hasSuffix(".\(domain)")
        }
    }
}
