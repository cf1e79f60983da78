/// The tenants with which one has to agree, which reading checks: hosts, realms, issuers and their keys.
public enum TenantCounterparts {
    private enum Key: Hashable {
        case host(HostPattern)
        case realm(String)
        case issuer(String)
        case keys(String)
    }

    /// The tenants that `tenant` could contradict: for each of its hosts, its realm and its issuer the first that has it
    /// too, and the first for each provider of sign-in in the realm.
    public static func of(_ tenant: Tenant, among tenants: [Tenant]) -> [Tenant] {
        let own = Set(keys(of: tenant))
        guard !own.isEmpty else { return [] }
        var missing = own
        var providers: Set<SignIn.Provider> = tenant.accounts.realm == nil ? [] : Set(providers(of: tenant))
        var found: [Tenant] = []
        for other in tenants where other.name != tenant.name {
            let shared = keys(of: other).filter(own.contains)
            guard !shared.isEmpty else { continue }
            let hasNew = shared.contains(where: missing.contains)
            missing.subtract(shared)
            var hasProvider = false
            if let realm = tenant.accounts.realm, other.accounts.realm == realm {
                let theirs = self.providers(of: other)
                hasProvider = theirs.contains(where: providers.contains)
                providers.subtract(theirs)
            }
            if hasNew || hasProvider { found.append(other) }
            if missing.isEmpty, providers.isEmpty { break }
        }
        return found
    }

    private static func keys(of tenant: Tenant) -> [Key] {
        var keys = tenant.hosts.map(Key.host)
        if let realm = tenant.accounts.realm { keys.append(.realm(realm)) }
        if let issuer = tenant.issuer {
            keys.append(.issuer(issuer.url))
            if let directory = issuer.keysDirectory { keys.append(.keys(directory)) }
        }
        return keys
    }

    private static func providers(of tenant: Tenant) -> [SignIn.Provider] {
        guard let signIn = tenant.signIn else { return [] }
        return SignIn.Provider.allCases.filter { signIn.has($0) }
    }
}

extension SignIn {
    fileprivate func has(_ provider: Provider) -> Bool {
        switch provider {
        case .apple: apple != nil || web?.provider == .apple
        case .google: google != nil || web?.provider == .google
        }
    }
}
