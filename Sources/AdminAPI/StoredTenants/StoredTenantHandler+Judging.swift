import ConfigurationText
import SharedState
import Tenants
import Verification

/// Whether a text may be stored.
extension StoredTenantHandler {
    func check(_ name: String) throws(AdminProblem) -> StoredTenants {
        let tenants = try stored()
        guard TenantText.isName(name) else {
            throw .badRequest("a tenant's name has 1 to 63 letters, digits, \"-\" and \"_\"")
        }
        guard !isInFile(name) else { throw Self.inFile(name) }
        return tenants
    }

    /// A text may show what is the gateway's and not the tenant's: variables of the environment to nobody, files to who may
    /// do all, or where the text named them before at the same key.
    func checkReach(
        of text: TenantText,
        _ before: TenantText?,
        _ caller: AdminCaller
    ) throws(AdminProblem) {
        var mistakes = text.references
        if !caller.may([.all], tenant: nil) {
            let known = Set(before?.namedFiles.map(\.use) ?? [])
            mistakes += text.namedFiles.filter { !known.contains($0.use) }.map(\.mistake)
        }
        guard mistakes.isEmpty else { throw Self.refused(mistakes.map(\.json)) }
    }

    /// Reads the text as the gateway would.
    func judged(
        _ name: String,
        _ text: TenantText,
        _ caller: AdminCaller
    ) async throws(AdminProblem) -> (tenant: Tenant, warnings: [Diagnostic]) {
        if let (route, other) = taken(text.routes) { throw Self.hostTaken(route, by: other) }
        let writer = TenantWriter(caller.scopes)
        let result = try await read([.stored(name, text, by: .all)], name)
        guard let configuration = result.configuration else {
            var problem = AdminProblem(
                .configurationRefused,
                "tenants.yaml has mistakes now, so that nothing can be judged beside it; correct them first"
            )
            problem.members = [
                "generation": .count(live.current.generation),
                "mistakes": .array(result.errors.map { .string($0.description) }),
            ]
            throw problem
        }
        guard let tenant = configuration.tenants.first(where: { $0.name == name }), tenant.isStored else {
            throw Self.inFile(name)
        }
        try TenantReach(caller, among: live.current.configuration.tenants).check(tenant)
        let counterparts = counterparts(of: tenant)
        // What the reader has against a writer who may not do all comes after what has a code of its own.
        let isJudged = counterparts.isEmpty && writer == .all
        let whole = isJudged ? result : try await read(counterparts + [.stored(name, text, by: writer)], name)
        return (tenant, whole.warnings.filter { $0.file == TenantSource.label(of: name) })
    }

    /// - Parameter sources: That of the tenant is the last one, so that it is compared with the others.
    /// - Throws: If the tenant has mistakes.
    private func read(_ sources: [TenantSource], _ name: String) async throws(AdminProblem) -> ReadResult {
        guard let result = await judge(sources) else {
            throw AdminProblem(.storeUnavailable, "the gateway is starting or stopping; try again")
        }
        if let leftOut = result.leftOut.first(where: { $0.name == name }) {
            throw Self.refused(leftOut.diagnostics.filter { $0.severity == .error }.map(\.json))
        }
        return result
    }

    /// The stored tenants that this one could contradict. Of two that have one host and path the store keeps the one that
    /// was first.
    private func counterparts(of tenant: Tenant) -> [TenantSource] {
        guard let service else { return [] }
        let routes = Set(tenant.routes)
        let found = counterparts.among(live.current).of(tenant)
            .filter { !$0.routes.contains(where: routes.contains) }
        guard !found.isEmpty else { return [] }
        let names = Set(found.map(\.name))
        return service.all.filter { names.contains($0.head.name) }
            // They are in force: it is the new text that has to agree with them, whoever wrote them.
            .map { .stored($0.head.name, TenantText($0.text), by: .all) }
    }

    /// The first of the routes that is a file's tenant's. The store sees to those of its own tenants.
    private func taken(_ routes: [String]) -> (route: String, tenant: String)? {
        guard !routes.isEmpty else { return nil }
        let wanted = Set(routes)
        let configuration = live.current.configuration
        for tenant in configuration.tenants where !tenant.isStored {
            if let route = tenant.routes.first(where: wanted.contains) { return (route, tenant.name) }
        }
        return nil
    }
}

extension TenantSettings {
    /// Its hosts, each with the path prefix if there is one.
    var routes: [String] { hosts.map { "\($0)\(pathPrefix ?? "")" } }
}
