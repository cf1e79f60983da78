import Counting
import Tenants
import Time
import Verification

/// Lists the last refused requests. HTTP is left to ``RefusalsRoutes``.
struct RefusalsHandler: Sendable {
    /// More are not listed, however many event loops there are.
    static let maximum = 200

    let live: LiveConfiguration
    /// Those of all event loops, of one tenant or of all; throws if the gateway has been stopped.
    let refusals: @Sendable (String?) async throws -> [RecentRefusal]

    /// - Parameter name: The only tenant to look at; nil for all.
    /// - Throws: ``AdminProblem``, or if the gateway has been stopped.
    func list(tenant name: String?) async throws -> JSONObject {
        if let name { _ = try live.current.named(name) }
        let latest = try await refusals(name).sorted { $0.time > $1.time }.prefix(Self.maximum)
        return ["refusals": .array(latest.map { .object($0.json) })]
    }
}

extension RecentRefusal {
    fileprivate var json: JSONObject {
        [
            "at": .time(time),
            "request_id": .string(requestID),
            "tenant": tenant.map(JSONValue.string) ?? .null,
            "method": method.map(JSONValue.string) ?? .null,
            "path": path.map(JSONValue.string) ?? .null,
            "path_cut": .bool(isPathCut),
            "status": .number(JSONNumber(status)),
            "code": .string(code.rawValue),
            "title": .string("\(code.title)"),
            "reason": .string(reason),
            "observed": .bool(isObserved),
            "client": .string(client),
        ]
    }
}
