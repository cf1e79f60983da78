import Tenants

extension KeyFileSource {
    /// The key files of all tenants' issuers, each once: of those that they trust, of transmitters, of their own
    /// issuers and of their clients.
    static func all(of tenants: [Tenant]) -> [KeyFileSource] {
        var known: Set<KeyFileSource> = []
        var sources: [KeyFileSource] = []
        for index in tenants.tenantIndices {
            for case .file(let source) in tenants[index].authenticate.keySources where known.insert(source).inserted {
                sources.append(source)
            }
        }
        for case .file(let source) in tenants.flatMap({ $0.signals.map(\.source) }) where known.insert(source).inserted
        {
            sources.append(source)
        }
        for index in tenants.tenantIndices {
            guard let source = tenants[index].issuer?.keyFiles, known.insert(source).inserted else { continue }
            sources.append(source)
        }
        for case .file(let source)? in tenants.flatMap({ $0.issuer?.clients.map(\.keys) ?? [] })
        where known.insert(source).inserted {
            sources.append(source)
        }
        return sources
    }
}
