public import Time
public import Verification

/// The configuration between two reloads.
///
/// A tenant keeps its index for the life of the process, whatever its position in the file: counters, refreshes under way
/// and everything else that is kept by tenant use it. The index of a removed tenant is not used again.
public struct ConfigurationSnapshot: Sendable {
    /// Counts up from 1.
    public let generation: UInt64
    /// Its tenants in the order of the file.
    public let configuration: TenantsConfiguration
    public let since: UnixTime
    /// By index. A removed tenant stays here without hosts and without an issuer: no new request finds it, and requests
    /// under way end normally.
    public let tenants: [Tenant]
    /// By index: the generation since which the tenant is as it is. A reload remakes only what has another one.
    public let revisions: [UInt64]
    /// Of each tenant in the file, in its order.
    public let indices: [TenantIndex]
    /// The tenants whose issuers have their keys from a source.
    public let tenantsByKeySource: [KeySource: [TenantIndex]]
    /// By the bytes of the name, including removed tenants.
    private let indicesByName: [[UInt8]: TenantIndex]
    /// By index: whether the file has the tenant.
    private let served: [Bool]

    /// The snapshot that a process starts with.
    public init(_ configuration: TenantsConfiguration, at now: UnixTime) {
        self.init(
            configuration,
            generation: 1,
            since: now,
            tenants: configuration.tenants,
            revisions: Array(repeating: 1, count: configuration.tenants.count),
            indices: configuration.tenants.tenantIndices,
            indicesByName: Self.byName(configuration.tenants)
        )
    }

    private init(
        _ configuration: TenantsConfiguration,
        generation: UInt64,
        since: UnixTime,
        tenants: [Tenant],
        revisions: [UInt64],
        indices: [TenantIndex],
        indicesByName: [[UInt8]: TenantIndex]
    ) {
        self.configuration = configuration
        self.generation = generation
        self.since = since
        self.tenants = tenants
        self.revisions = revisions
        self.indices = indices
        self.indicesByName = indicesByName
        var served = Array(repeating: false, count: tenants.count)
        var byKeySource: [KeySource: [TenantIndex]] = [:]
        for index in indices {
            served[index] = true
            for source in tenants[index].authenticate.keySources
            where source != .inline && byKeySource[source]?.last != index {
                byKeySource[source, default: []].append(index)
            }
        }
        self.served = served
        tenantsByKeySource = byKeySource
    }

    private static func byName(_ tenants: [Tenant]) -> [[UInt8]: TenantIndex] {
        var indices: [[UInt8]: TenantIndex] = [:]
        indices.reserveCapacity(tenants.count)
        for index in tenants.tenantIndices { indices[Array(tenants[index].name.utf8)] = index }
        return indices
    }

    /// The snapshot after a reload.
    public func next(_ configuration: TenantsConfiguration, at now: UnixTime) -> ConfigurationSnapshot {
        var tenants = tenants
        var revisions = revisions
        var configuration = configuration
        let generation = generation + 1
        var isRemoved = Array(repeating: true, count: tenants.count)
        var byName = indicesByName
        // Most are those that were there, in the same order: they are found without their name.
        var expected = self.indices.makeIterator()
        var next = expected.next()
        let indices = configuration.tenants.map { tenant -> TenantIndex in
            if let index = next, self.tenants[index].isIdentical(to: tenant) {
                isRemoved[index] = false
                next = expected.next()
                return index
            }
            let name = Array(tenant.name.utf8)
            guard let index = byName[name] else {
                tenants.append(tenant)
                revisions.append(generation)
                byName[name] = TenantIndex(tenants.count - 1)
                return TenantIndex(tenants.count - 1)
            }
            if index == next { next = expected.next() }
            isRemoved[index] = false
            if self.tenants[index] != tenant {
                tenants[index] = tenant
                revisions[index] = generation
            }
            return index
        }
        for index in isRemoved.tenantIndices where isRemoved[index] && !tenants[index].isRemoved {
            tenants[index].remove()
            revisions[index] = generation
        }
        // In memory once.
        if indices.elementsEqual(tenants.tenantIndices) { configuration.tenants = tenants }
        return ConfigurationSnapshot(
            configuration,
            generation: generation,
            since: now,
            tenants: tenants,
            revisions: revisions,
            indices: indices,
            indicesByName: byName
        )
    }

    /// By index, including removed tenants.
    public var names: [String] { tenants.map(\.name) }

    /// The index of the tenant with this name, compared byte for byte; nil if the file has none.
    public func index(of name: String) -> TenantIndex? {
        indicesByName[Array(name.utf8)].flatMap { served[$0] ? $0 : nil }
    }

    /// Whether the file has the tenant at an index.
    public func isServed(_ tenant: TenantIndex) -> Bool { served[tenant] }

    /// The sources in files, with their keys as they were when the configuration was read.
    public var keysInFiles: [(source: KeySource, keys: KeySet?)] {
        tenantsByKeySource.compactMap { source, indices in
            guard case .file = source, let tenant = indices.first,
                let issuer = tenants[tenant].authenticate.keySources.firstIndex(of: source)
            else { return nil }
            return (source, tenants[tenant].authenticate.policy.issuers[issuer].keys)
        }
    }

    /// Whether each tenant is where it was, and as it was, with its lines.
    public func hasSameTenants(as other: ConfigurationSnapshot) -> Bool {
        revisions == other.revisions && indices == other.indices
    }
}

extension Tenant {
    fileprivate var isRemoved: Bool { self.hosts.isEmpty && self.issuer == nil && self.signIn == nil }

    fileprivate mutating func remove() {
        self.hosts = []
        self.issuer = nil
        self.signIn = nil
    }
}
