/// Finds the tenant of a host and a path.
///
/// The host decides first, exact before `*.`; among the tenants of one host the longest path prefix wins.
public struct TenantDirectory: Sendable {
    private struct Entry: Sendable {
        /// Without a trailing `/`; empty for every path.
        var prefix: [UInt8]
        var tenant: TenantIndex
    }

    private struct Host: Sendable {
        var name: [UInt8]
        /// Longest prefix first.
        var entries: [Entry]
    }

    private var exact: [UInt64: [Host]] = [:]
    private var oneLabelBelow: [UInt64: [Host]] = [:]

    /// - Parameter tenants: ``tenant(host:path:)`` returns indices of this array.
    public init(_ tenants: [Tenant]) {
        for (index, tenant) in tenants.enumerated() {
            let entry = Entry(prefix: Array((tenant.pathPrefix ?? "").utf8), tenant: TenantIndex(index))
            for host in tenant.hosts {
                switch host {
                case .exact(let name): Self.add(entry, host: Array(name.utf8), to: &exact)
                case .oneLabelBelow(let name): Self.add(entry, host: Array(name.utf8), to: &oneLabelBelow)
                }
            }
        }
    }

    /// - Parameters:
    ///   - host: Lower case, without port and trailing dot.
    ///   - path: Decoded and free of dot segments.
    /// - Returns: nil if no tenant has them.
    public func tenant(host: Span<UInt8>, path: Span<UInt8>) -> TenantIndex? {
        entries(for: host).flatMap { Self.longestMatch($0, path) }
    }

    /// Whether the tenant depends on the path as well as on the host.
    ///
    /// - Parameter host: Lower case, without port and trailing dot.
    public func hasPathPrefix(host: Span<UInt8>) -> Bool {
        // The longest prefix stands first.
        entries(for: host)?.first.map { !$0.prefix.isEmpty } ?? false
    }

    /// Whether a path with these segments, in any order and among others, could be below the path prefix of a tenant of
    /// the host.
    ///
    /// - Parameters:
    ///   - host: Lower case, without port and trailing dot.
    ///   - segments: Decoded, without parameters.
    public func hasPathPrefix(host: Span<UInt8>, amongSegments segments: Set<[UInt8]>) -> Bool {
        guard let entries = entries(for: host) else { return false }
        return entries.contains { entry in
            !entry.prefix.isEmpty
                && entry.prefix.split(separator: UInt8(ascii: "/")).allSatisfy { segments.contains(Array($0)) }
        }
    }

    private func entries(for host: Span<UInt8>) -> [Entry]? {
        if let entries = Self.entries(for: host, in: exact) { return entries }
        var firstDot = 0
        while firstDot < host.count, host[firstDot] != UInt8(ascii: ".") { firstDot += 1 }
        guard firstDot > 0, firstDot + 1 < host.count else { return nil }
        return Self.entries(for: host.extracting((firstDot + 1)..<host.count), in: oneLabelBelow)
    }

    private static func longestMatch(_ entries: [Entry], _ path: Span<UInt8>) -> TenantIndex? {
        for entry in entries {
            let length = entry.prefix.count
            guard path.count >= length, path.extracting(0..<length).isEqual(to: entry.prefix) else { continue }
            if length == 0 || path.count == length || path[length] == UInt8(ascii: "/") { return entry.tenant }
        }
        return nil
    }

    // MARK: Hosts by hash, compared byte by byte, without a String

    private static func add(_ entry: Entry, host: [UInt8], to table: inout [UInt64: [Host]]) {
        var hosts = table[hash(host.span)] ?? []
        let index = hosts.firstIndex { $0.name == host } ?? hosts.count
        if index == hosts.count { hosts.append(Host(name: host, entries: [])) }
        hosts[index].entries.append(entry)
        hosts[index].entries.sort { $0.prefix.count > $1.prefix.count }
        table[hash(host.span)] = hosts
    }

    private static func entries(for host: Span<UInt8>, in table: [UInt64: [Host]]) -> [Entry]? {
        guard !table.isEmpty, let hosts = table[hash(host)] else { return nil }
        for candidate in hosts where host.isEqual(to: candidate.name) {
            return candidate.entries
        }
        return nil
    }

    private static func hash(_ bytes: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in 0..<bytes.count {
            hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3
        }
        return hash
    }
}
