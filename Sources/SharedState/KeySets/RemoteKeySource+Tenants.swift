public import Tenants

extension RemoteKeySource {
    /// The sources of all tenants' issuers and sign-in providers, without duplicates.
    public static func needed(by tenants: [Tenant]) -> [RemoteKeySource] {
        let ofIssuers = all(of: tenants)
        let known = Set(ofIssuers)
        return ofIssuers + ofSignIn(tenants).filter { !known.contains($0) }
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
