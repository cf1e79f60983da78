import HTTPTypes
import Hummingbird
import NIOCore
import Verification

/// `/api/revocations` of the admin listener.
struct RevocationRoutes: Sendable {
    private let desk: RevocationDesk

    init(_ desk: RevocationDesk) {
        self.desk = desk
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/api/revocations") { request, _ -> Response in
            let parameters = request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
            return Response(json: try await desk.list(RevocationQuery(parameters)))
        }
        router.post("/api/revocations") { request, _ -> Response in
            Response(json: try await desk.revoke(Self.body(of: request)))
        }
        router.delete("/api/revocations") { request, _ -> Response in
            Response(json: try await desk.withdraw(Self.body(of: request)))
        }
    }

    private static func body(of request: Request) async throws -> [UInt8] {
        guard isJSON(request.headers[.contentType]) else {
            throw AdminProblem(.unsupportedMediaType, "send the body as application/json")
        }
        do {
            let body = try await request.body.collect(upTo: RevocationRequest.longestBody)
            return Array(body.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw AdminProblem(
                .payloadTooLarge,
                "the body is longer than \(RevocationRequest.longestBody >> 10) KiB"
            )
        }
    }

    /// A body without a type is taken for what it has to be.
    private static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        let essence = contentType.prefix { $0 != ";" }
        return essence.filter { $0 != " " && $0 != "\t" }.lowercased() == "application/json"
    }
}
