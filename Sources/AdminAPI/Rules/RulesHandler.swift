import Counting
import Tenants
import Time
import Verification

/// Lists a tenant's access rules with how often each was used. HTTP is left to ``RulesRoutes``.
struct RulesHandler: Sendable {
    let live: LiveConfiguration
    /// Adds up the counts of all event loops; throws if the gateway has been stopped.
    let counts: @Sendable (TenantIndex) async throws -> RuleCounts

    /// - Throws: ``AdminProblem``, or if the gateway has been stopped.
    func list(tenant name: String?) async throws -> JSONObject {
        guard let name, !name.isEmpty else { throw AdminProblem.badRequest("name a tenant: /api/rules?tenant=NAME") }
        let (tenant, index) = try live.current.named(name)
        let counts = try await counts(index)
        let rules = zip(counts.rules, zip(counts.counts, counts.since)).map { rule, use in
            var json = rule.json
            json["hits"] = .count(use.0)
            json["since"] = .time(use.1)
            return JSONValue.object(json)
        }
        let rest = counts.rules.count
        return [
            "tenant": .string(tenant.name),
            "mode": .string(tenant.mode.rawValue),
            "rules": .array(rules),
            "default": ["hits": .count(counts.counts[rest]), "since": .time(counts.since[rest])],
        ]
    }
}

extension AccessRule {
    fileprivate var json: JSONObject {
        var (allowed, roles, scopes): (String, [String], [String]) = ("anyone", [], [])
        if case .signedIn(let neededRoles, let neededScopes) = allow {
            (allowed, roles, scopes) = ("signed_in", neededRoles, neededScopes)
        }
        var object: JSONObject = [
            "path": .string(path.description),
            "methods": .array(methods.names.map(JSONValue.string)),
            "allow": .string(allowed),
            "roles": .array(roles.map(JSONValue.string)),
            "scopes": .array(scopes.map(JSONValue.string)),
            "mode": .string(mode.rawValue),
            "line": .number(JSONNumber(line.number)),
        ]
        object["file"] = line.file.map(JSONValue.string)
        return object
    }
}
