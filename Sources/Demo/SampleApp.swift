import HTTPTypes
import Hummingbird
import Verification

/// One sample backend: its own routes besides the common ones.
///
/// Everywhere: `GET /`, a page for people; `GET /health`, `POST /echo` (the body streams back), `POST /sample/stale` (from now on everything but
/// this refuses the presented token with 401, and a refresh still takes it), and `FailOnDemand` on each path. The last
/// two are for trying out the gateway; real apps do not have them.
protocol SampleApp: Sendable {
    /// Its name in responses.
    var name: String { get }
    var sessions: Sessions { get }
    /// Where a browser signs in and out; nil if only programs do that.
    var browserPaths: BrowserPaths? { get }

    func addRoutes(to router: Router<BasicRequestContext>)

    /// The caller, by the rules of this app. Stale and ended sessions are handled separately: ``Sessions``.
    ///
    /// - Throws: ``Unauthorized`` with the reason.
    func caller(of request: Request) async throws(Unauthorized) -> Principal
}

/// The app does not know the caller, or no longer.
struct Unauthorized: Error {
    let reason: String
}

extension SampleApp {
    var browserPaths: BrowserPaths? { nil }

    func makeRouter() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: FailOnDemand())
        router.get("/") { request, _ in HomePage.response(to: request, paths: browserPaths) }
        router.get("/health") { _, _ in
            Response.json(["status": "ok", "app": .string(name)])
        }
        router.post("/echo") { request, _ in
            var headers = HTTPFields()
            headers[.contentType] = request.headers[.contentType] ?? "application/octet-stream"
            return Response(status: .ok, headers: headers, body: ResponseBody(asyncSequence: request.body))
        }
        router.post("/sample/stale") { request, _ in
            await answering(request, evenIfStale: true) { caller in
                if let id = caller.tokenID { await sessions.mark(id, .stale) }
                return .json(["stale": true])
            }
        }
        addRoutes(to: router)
        return router
    }

    /// Adds a resource for known callers; it returns the caller's identity, and for `POST` also the received JSON.
    func addResource(_ path: RouterPath, named resource: String, to router: Router<BasicRequestContext>) {
        router.get(path) { request, _ in
            await answering(request) { .json(.object(seen(request, by: $0, at: resource))) }
        }
        router.post(path) { request, _ in
            var request = request
            let body = await request.jsonBody()
            return await answering(request) { caller in
                var answer = seen(request, by: caller, at: resource)
                answer["received"] = body.map(JSONValue.object) ?? .null
                return .json(.object(answer))
            }
        }
    }

    private func seen(_ request: Request, by caller: Principal, at resource: String) -> JSONObject {
        [
            "app": .string(name),
            "resource": .string(resource),
            "subject": caller.subject.map(JSONValue.string) ?? .null,
            "identity": .object(SeenIdentity.fields(of: request)),
        ]
    }

    /// The response of `respond` to a known caller, 401 to any other.
    func answering(
        _ request: Request,
        evenIfStale: Bool = false,
        _ respond: (Principal) async -> Response
    ) async -> Response {
        do {
            let caller = try await caller(of: request)
            try await checkStatus(of: caller, evenIfStale: evenIfStale)
            return await respond(caller)
        } catch {
            return .unauthorized(error.reason)
        }
    }

    /// Refuses a token that has ended, by itself or with its session, and a stale one unless that is allowed.
    private func checkStatus(of principal: Principal, evenIfStale: Bool) async throws(Unauthorized) {
        for id in [principal.tokenID, principal.sessionID] {
            guard let id else { continue }
            switch await sessions.status(of: id) {
            case .ended: throw Unauthorized(reason: "this session has ended")
            case .stale where !evenIfStale: throw Unauthorized(reason: "this token is stale")
            case .stale, nil: continue
            }
        }
    }
}
