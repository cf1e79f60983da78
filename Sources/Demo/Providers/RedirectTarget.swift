import Tenants

/// A client's allowed redirect target: any scheme and port, since a demo's are not known beforehand; the host must match
/// exactly, and so must the path, if there is one.
struct RedirectTarget: Sendable, Equatable {
    let host: HostPattern
    /// Nil for any.
    let path: String?

    /// Any path and port of this machine's own names (RFC 6761 section 6.3), as people try things out.
    static let local = [HostPattern.exact("127.0.0.1"), .exact("localhost"), .oneLabelBelow("localhost")].map {
        RedirectTarget(host: $0, path: nil)
    }

    /// Whether `uri` matches, without query and fragment.
    func allows(_ uri: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: uri.hasPrefix) else { return false }
        let rest = uri.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        let asked = rest.dropFirst(authority.count)
        guard path.map({ asked == $0 }) ?? (asked.hasPrefix("/") && !asked.contains { "?#".contains($0) }) else {
            return false
        }
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
