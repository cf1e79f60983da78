import Hummingbird
import Tenants
import Verification

/// `/api/reload` and `/api/reloads` of the admin listener.
struct ReloadRoutes: Sendable {
    let live: LiveConfiguration
    let reload: @Sendable () async -> ReloadReport
    let audit: AuditLog

    func add(to router: Router<AdminContext>) {
        router.get("/api/reloads") { request, _ -> Response in
            _ = try request.adminQuery([])
            return Response(json: live.reloadsJSON)
        }
        router.post("/api/reload") { request, context -> Response in
            try await audit.of(.reload, context) { entry in
                _ = try request.adminQuery([])
                let body = try await request.adminBody()
                if !body.isEmpty { _ = try AdminBody(json: body, members: []) }
                let report = await reload()
                entry.note("generation", Int(clamping: report.generation))
                guard report.result != .refused else { throw AdminProblem(refused: report) }
                return Response(json: report.json)
            }
        }
    }
}

extension ReloadReport {
    /// For `POST /api/reload`.
    var json: JSONObject {
        [
            "result": .string(result.rawValue),
            "generation": .number(JSONNumber(Int(clamping: generation))),
            "changes": .array(changes.map(JSONValue.string)),
        ]
    }
}

extension AdminProblem {
    fileprivate init(refused report: ReloadReport) {
        self.init(
            .configurationRefused,
            "the previous configuration stays in force; correct the mistakes and reload again"
        )
        members = [
            "generation": .number(JSONNumber(Int(clamping: report.generation))),
            "mistakes": .array(report.mistakes.map(JSONValue.string)),
        ]
    }
}
