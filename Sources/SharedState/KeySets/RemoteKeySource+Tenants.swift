public import Tenants

extension RemoteKeySource {
    /// The sources of all tenants' issuers, sign-in providers and clients, without duplicates.
    public static func needed(by tenants: [Tenant]) -> [RemoteKeySource] {
        let ofIssuers = all(of: tenants)
        var known = Set(ofIssuers)
        let others = ofSignIn(tenants) + ofClients(tenants) + ofSignals(tenants)
        return ofIssuers + others.filter { known.insert($0).inserted }
    }

    /// The sources of the keys of the built-in issuers' clients.
    private static func ofClients(_ tenants: [Tenant]) -> [RemoteKeySource] {
        tenants.flatMap { tenant in
            (tenant.issuer?.clients ?? []).compactMap { client in
                guard case .remote(let source)? = client.keys else { return nil }
                return source
            }
        }
    }

    /// The sources of all tenants' issuers, without duplicates.
    public static func all(of tenants: [Tenant]) -> [RemoteKeySource] {
        var known: Set<RemoteKeySource> = []
        var sources: [RemoteKeySource] = []
        for index in tenants.tenantIndices {
            for case .remote(let source) in tenants[index].authenticate.keySources where known.insert(source).inserted {
                sources.append(source)
            }
        }
        return sources
    }

    /// The sources of the transmitters in `signals`.
    static func ofSignals(_ tenants: [Tenant]) -> [RemoteKeySource] {
        tenants.flatMap(\.signals).compactMap { if case .remote(let source) = $0.source { source } else { nil } }
    }

    /// The sources of the sign-in providers, without duplicates.
    public static func ofSignIn(_ tenants: [Tenant]) -> [RemoteKeySource] {
        var known: Set<RemoteKeySource> = []
        var sources: [RemoteKeySource] = []
        for index in tenants.tenantIndices {
            guard let signIn = tenants[index].signIn else { continue }
            for provider in signIn.providers {
                guard let source = signIn.keys(of: provider) else { continue }
                if known.insert(source).inserted { sources.append(source) }
            }
        }
        return sources
    }
}
