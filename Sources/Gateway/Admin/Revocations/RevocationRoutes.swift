import Hummingbird

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
            Response(json: try await desk.revoke(request.adminBody()))
        }
        router.delete("/api/revocations") { request, _ -> Response in
            Response(json: try await desk.withdraw(request.adminBody()))
        }
    }
}
