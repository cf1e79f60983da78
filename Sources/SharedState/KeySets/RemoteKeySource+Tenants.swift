public import Tenants

extension RemoteKeySource {
    /// Those of all tenants' issuers, each once.
    public static func all(of tenants: [Tenant]) -> [RemoteKeySource] {
        var sources: [RemoteKeySource] = []
        for case .remote(let source) in tenants.flatMap(\.authenticate.keySources) where !sources.contains(source) {
            sources.append(source)
        }
        return sources
    }

    /// Those of the providers that people sign in with, each once.
    public static func ofSignIn(_ tenants: [Tenant]) -> [RemoteKeySource] {
        var sources: [RemoteKeySource] = []
        for signIn in tenants.compactMap(\.signIn) {
            for provider in signIn.providers {
                let source = signIn.browserAddresses(of: provider).keys
                if !sources.contains(source) { sources.append(source) }
            }
        }
        return sources
    }
}

extension SignIn {
    /// Those that some token of this tenant's may come from.
    fileprivate var providers: [Provider] {
        Provider.allCases.filter { provider in
            let isExchanged = provider == .apple ? apple != nil : google != nil
            return isExchanged || web?.provider == provider
        }
    }
}
