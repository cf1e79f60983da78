public import Tenants
public import Time

/// Makes refresh calls by the tenants' rules.
public struct RefreshCaller: RefreshCalling, Sendable {
    private let rules: [RefreshRules?]
    private let backend: any RefreshTransport
    private let provider: any RefreshTransport
    private let builtIn: any RefreshCalling
    private let now: @Sendable () -> UnixTime

    /// - Parameters:
    ///   - rules: By tenant.
    ///   - backend: For paths on a tenant's backend.
    ///   - provider: For full URLs.
    ///   - builtIn: For tenants whose tokens this gateway issues.
    public init(
        rules: [RefreshRules?],
        backend: any RefreshTransport,
        provider: any RefreshTransport,
        builtIn: any RefreshCalling,
        now: @escaping @Sendable () -> UnixTime
    ) {
        self.rules = rules
        self.backend = backend
        self.provider = provider
        self.builtIn = builtIn
        self.now = now
    }

    public func call(_ credential: RefreshCredential, tenant: TenantIndex) async -> RefreshCallResult {
        guard rules.indices.contains(tenant.value), let rules = rules[tenant] else { return .failed(.noRefreshToken) }
        if case .builtIn = rules.call.strategy { return await builtIn.call(credential, tenant: tenant) }
        let (transport, target): (any RefreshTransport, String)
        switch rules.call.target {
        case .backend(let path): (transport, target) = (backend, path)
        case .url(let url): (transport, target) = (provider, url)
        case nil: return .failed(.noRefreshToken)
        }
        do throws(RefreshFailure) {
            let request = try RefreshRequestForm.request(rules.call, credential, to: target)
            return RefreshResponseReader.result(try await transport.send(request, tenant: tenant), rules, at: now())
        } catch {
            return .failed(error)
        }
    }
}
