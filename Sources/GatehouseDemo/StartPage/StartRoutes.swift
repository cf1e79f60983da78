import Demo
import HTTPTypes
import Hummingbird
import NIOCore
import Tenants
import Verification

/// The start page and what its script asks for.
struct StartRoutes: Sendable {
    private static let longestBody = 1 << 10

    private let trials: TrialRunner
    private let webhook: EventWebhook
    private let clients: CompanyClients
    private let gate = TrialGate()
    private let page = StartPage()
    private let guardian: StartGuard

    /// - Parameter gateway: Where browsers reach the page.
    init(trials: TrialRunner, webhook: EventWebhook, companyClientSecret: String, gateway: HostPort) {
        self.trials = trials
        self.webhook = webhook
        clients = CompanyClients(
            origin: "http://localhost:\(gateway.port)",
            secret: companyClientSecret
        ) { form in
            let request = TrialRequest(
                method: "POST",
                host: "localhost:\(gateway.port)",
                path: "\(CompanyApp.path)/oauth2/token",
                fields: [("Content-Type", "application/x-www-form-urlencoded")],
                text: form
            )
            return try? await TrialClient.send(request, to: gateway).json
        }
        guardian = StartGuard(port: gateway.port)
    }

    func makeRouter() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.get("/") { _, _ in page.response }
        router.get("/demo/state") { _, _ in await state() }
        router.get("/demo/events") { _, _ in Self.json(["events": .array(webhook.latest.map(JSONValue.object))]) }
        webhook.addRoutes(to: router)
        CompanyApp.addRoutes(to: router)
        clients.addRoutes(to: router)
        router.post("/demo/try") { request, _ in await tryOut(request) }
        return router
    }

    private func state() async -> Response {
        var apps: [JSONValue] = []
        for app in SampleAppName.allCases {
            var shown = await trials.state(of: app) ?? ["app": .string(app.rawValue)]
            shown["about"] = .string(app.about)
            shown["adopts"] = .bool(app.adoptsSessions)
            shown["url"] = .string("http://\(app.host):\(trials.sessions.gateway.port)/")
            apps.append(.object(shown))
        }
        return Self.json([
            "apps": .array(apps), "dashboard": .string("http://\(trials.admin.address)/"),
            "tokens_file": trials.tokensFile.map(JSONValue.string) ?? .null,
        ])
    }

    /// `{ "app", "action" }`: the events of the trial, one JSON object a line.
    private func tryOut(_ request: Request) async -> Response {
        if let refusal = guardian.refusal(of: request) { return Self.refused(.forbidden, refusal) }
        var request = request
        guard let buffer = try? await request.collectBody(upTo: Self.longestBody),
            let body = try? JSONParser.parse(Array(buffer.readableBytesView)).object,
            let app = body["app"]?.string.flatMap(SampleAppName.init(rawValue:)),
            let trial = body["action"]?.string.flatMap(Trial.init(rawValue:))
        else {
            let actions = Trial.allCases.map(\.rawValue).joined(separator: ", ")
            return Self.refused(.badRequest, "send { \"app\": …, \"action\": … }; actions are \(actions)")
        }
        guard await gate.enter(app) else { return Self.refused(.tooManyRequests, "\(app.rawValue) is being tried out") }
        let (stream, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        let task = Task {
            await trials.run(trial, of: app, telling: TrialEvents(continuation))
            await gate.leave(app)
            continuation.finish()
        }
        continuation.onTermination = { reason in
            if case .cancelled = reason { task.cancel() }
        }
        return Response(
            status: .ok,
            headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"],
            body: ResponseBody(asyncSequence: stream)
        )
    }

    private static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: JSONWriter.bytes(of: value)))
        )
    }

    private static func refused(_ status: HTTPResponse.Status, _ reason: String) -> Response {
        json(["error": .string(reason)], status: status)
    }
}
