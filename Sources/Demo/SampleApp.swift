import HTTPTypes
import Hummingbird
import Verification

/// One sample backend: its own routes beside those that all have.
///
/// Everywhere: `GET /health`, `POST /echo` (the body streams back), `POST /sample/stale` (from now on resources refuse
/// the presented token with 401, refresh still takes it), and `FailOnDemand` on each path.
protocol SampleApp: Sendable {
    /// Its name in answers.
    var name: String { get }
    var sessions: Sessions { get }

    func addRoutes(to router: Router<BasicRequestContext>)

    /// Who calls, by the rules of this app.
    ///
    /// - Throws: ``Unauthorized`` with the reason.
    func caller(of request: Request) async throws(Unauthorized) -> Principal
}

/// The caller is not known to the app, or no longer.
struct Unauthorized: Error {
    let reason: String
}

extension SampleApp {
    func makeRouter() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: FailOnDemand())
        router.get("/health") { _, _ in
            Response.json(["status": "ok", "app": .string(name)])
        }
        router.post("/echo") { request, _ in
            var headers = HTTPFields()
            headers[.contentType] = request.headers[.contentType] ?? "application/octet-stream"
            return Response(status: .ok, headers: headers, body: ResponseBody(asyncSequence: request.body))
        }
        router.post("/sample/stale") { request, _ in
            await answering(request) { caller in
                if let id = caller.tokenID { await sessions.mark(id, .stale) }
                return .json(["stale": true])
            }
        }
        addRoutes(to: router)
        return router
    }

    /// Adds a resource that only known callers get; it says whom it saw.
    func addResource(_ path: RouterPath, named resource: String, to router: Router<BasicRequestContext>) {
        router.get(path) { request, _ in
            await answering(request) { caller in
                .json([
                    "app": .string(name),
                    "resource": .string(resource),
                    "subject": caller.subject.map(JSONValue.string) ?? .null,
                    "identity": .object(SeenIdentity.fields(of: request)),
                ])
            }
        }
    }

    /// The answer of `respond` to a known caller, 401 to any other.
    func answering(_ request: Request, _ respond: (Principal) async -> Response) async -> Response {
        do {
            return await respond(try await caller(of: request))
        } catch {
            return .unauthorized(error.reason)
        }
    }

    /// Refuses a verified token that is stale, or that ended by itself or with its session.
    func checkStanding(of principal: Principal) async throws(Unauthorized) {
        for id in [principal.tokenID, principal.sessionID] {
            guard let id else { continue }
            if await sessions.standing(of: id) != nil {
                throw Unauthorized(reason: "this session has ended")
            }
        }
    }
}
