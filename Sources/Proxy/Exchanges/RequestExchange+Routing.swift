import Authorization
import HTTPCore
import NIOCore
import Tenants
import Upstream
import Verification

/// What a route means for a granted request.
extension RequestExchange {
    /// Of the request's route, or else of its tenant.
    var limits: RequestLimits? { record.route?.route.limits ?? tenant?.tenant.limits }

    /// Of the request's route, or else of its tenant.
    var webSocketRules: WebSocketRules? { record.route?.route.webSocket ?? tenant?.tenant.webSocket }

    /// The backend that the request goes to. A replayed request goes where the first one went, if that is still there.
    ///
    /// - Returns: Nil if the gateway answers itself.
    func chooseBackend(_ grant: Grant, _ tenant: ServedTenant) -> BackendServers? {
        if let earlier = record.upstream.backend {
            if tenant.backends.contains(where: { $0 === earlier }) { return earlier }
            if let same = tenant.backends.first(where: { $0.name == earlier.name }) { return same }
        }
        guard grant.request.route != nil else { return tenant.defaultBackend }
        let index = grant.backend(
            client: { record.client.address ?? peer?.text ?? [] },
            random: { worker.loop.identifiers.next() }
        )
        return index.map { tenant.backends[$0] }
    }

    /// Answers a request whose route is answered by the gateway.
    func answer(_ grant: Grant, _ bytes: Span<UInt8>) {
        defer { worker.loop.spares.requests.giveBack(grant.request.received) }
        guard let action = grant.request.route?.route.action else { return }
        var response: GatewayResponse
        switch action {
        case .forward: return failInternally("a forwarded request is answered here")
        case .redirect(let redirect):
            response = GatewayResponse(status: redirect.status)
            response.fields = [HeaderField("Location", Self.location(redirect, grant.request, bytes))]
        case .respond(let own):
            response = GatewayResponse(status: own.status, body: own.body)
            if !own.body.isEmpty { response.contentType = own.contentType }
        }
        // What only some may see is not for shared caches.
        response.forbidsStoring = grant.needsCaller
        response.unindexedFields = style.fields
        respond(response)
    }

    private static func location(_ redirect: RouteRedirect, _ request: RoutedRequest, _ bytes: Span<UInt8>) -> String {
        var location = Array((redirect.origin ?? "").utf8)
        request.request.withForwardedPath(bytes) { path in
            redirect.path.forEachPiece(of: path) { piece in piece.withUnsafeBufferPointer { location += $0 } }
        }
        // Another site must not get a token that was meant for this one.
        if redirect.origin == nil {
            bytes.extracting(request.target.query).withUnsafeBufferPointer { location += $0 }
        } else {
            request.forEachPieceOfQuery(bytes, withoutTokens: true) { piece in
                piece.withUnsafeBufferPointer { location += $0 }
            }
        }
        return String(decoding: location, as: UTF8.self)
    }
}
