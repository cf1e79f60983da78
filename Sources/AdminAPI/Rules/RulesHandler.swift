import Counting
import Tenants
import Time
import Verification

/// Lists a tenant's access rules and routes with how often each was used. HTTP is left to ``RulesRoutes``.
struct RulesHandler: Sendable {
    let live: LiveConfiguration
    /// Adds up the counts of all event loops; throws if the gateway has been stopped.
    let counts: @Sendable (TenantIndex) async throws -> RuleCounts
    /// The same of routes.
    let routeCounts: @Sendable (TenantIndex) async throws -> RouteCounts

    /// - Throws: ``AdminProblem``, or if the gateway has been stopped.
    func list(tenant name: String?) async throws -> JSONObject {
        guard let name, !name.isEmpty else { throw AdminProblem.badRequest("name a tenant: /api/rules?tenant=NAME") }
        let (tenant, index) = try live.current.named(name)
        let (rules, routes) = try await (counts(index), routeCounts(index))
        return [
            "tenant": .string(tenant.name),
            "mode": .string(tenant.mode.rawValue),
            "rules": rules.json { $0.json },
            "default": .object(rules.use(at: rules.items.count)),
            "routes": routes.json { $0.json(of: tenant) },
            "unrouted": routes.items.isEmpty ? .null : .object(routes.use(at: routes.items.count)),
        ]
    }
}

extension HitCounts {
    fileprivate func json(_ item: (Item) -> JSONObject) -> JSONValue {
        .array(
            items.indices.map { index in
                var json = item(items[index])
                for member in use(at: index).members { json[member.name] = member.value }
                return .object(json)
            }
        )
    }

    fileprivate func use(at index: Int) -> JSONObject {
        ["hits": .count(counts[index]), "since": .time(since[index])]
    }
}

extension Route {
    fileprivate func json(of tenant: Tenant) -> JSONObject {
        let fields = conditions.map { condition -> JSONValue in
            .string("\(String(decoding: condition.name, as: UTF8.self)): \(condition.value ?? "*")")
        }
        var object: JSONObject = [
            "path": .string(path.description),
            "methods": .array(methods.names.map(JSONValue.string)),
            "fields": .array(fields),
            "does": .string(text(of: tenant)),
            "line": .number(JSONNumber(line.number)),
        ]
        object["file"] = line.file.map(JSONValue.string)
        return object
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
