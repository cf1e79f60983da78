import Authorization
import HTTPCore
import NIOCore
import Tenants
import Upstream

/// The request's body, piece by piece, from the client to whoever takes the request.
extension RequestExchange {
    /// Whether pieces of the body are taken now.
    var takesBody: Bool { lifecycle.takesBody }

    /// Takes a piece. Gives whether there may be more; if not, the exchange is over.
    func bodyReceived(_ piece: ByteBuffer) -> Bool {
        let limit = tenant?.tenant.limits.bodyBytes
        guard let isWithinLimit = advance({ $0.bodyReceived(piece.readableBytes, limit: limit) }) else { return false }
        guard isWithinLimit, take(piece) else {
            bodyTooLarge()
            return false
        }
        return true
    }

    private func take(_ piece: ByteBuffer) -> Bool {
        guard piece.readableBytes > 0 else { return true }
        if let call = lifecycle.endpointCall { return call.append(piece) }
        lifecycle.keptRequest?.keep(piece)
        upstream.server?.send(piece)
        return true
    }

    /// All of the body that has come was taken, and goes on to the server.
    ///
    /// - Parameter received: See ``bodyAwaited(since:)``.
    /// - Returns: Whether the client is to be read from.
    func flushBody(since received: Int) -> Bool {
        upstream.server?.flush(bodyFollows: true)
        bodyAwaited(since: received)
        return upstream.server?.isWritable != false
    }

    /// The client is waited for.
    ///
    /// - Parameter received: What ``RequestBody/count`` was before. Without a byte more, the deadline stays as it is.
    func bodyAwaited(since received: Int) {
        // What goes on to the server may bring the response, and end the exchange.
        guard takesBody, lifecycle.body.count > received || !rates.request.hasBegun else { return }
        // Sending on does not excuse a client that takes nothing of a response.
        if takesResponse { updateBodyDeadline() }
    }

    /// The body is whole.
    ///
    /// - Parameter trailers: Lines that were parsed before, each with its CRLF. They decide nothing.
    func bodyEnded(trailers: [UInt8]) {
        if takesResponse { setDeadline(nil) } else { responseIsHeldUp() }
        guard advance({ $0.bodyEnded() }) != nil else { return }
        if let call = lifecycle.endpointCall { return ask(call) }
        // The server has answered before, and its response waits here: it is asked for no more.
        guard let server = upstream.server else { return }
        endRequest(server, trailers: trailers)
    }

    /// The end of the request goes to the server.
    func endRequest(_ server: any UpstreamServer, trailers: [UInt8]) {
        var lines = ByteBuffer()
        if !trailers.isEmpty {
            Trailers.write(trailers, to: &lines) { [tenant] field, bytes in
                tenant.map { $0.forwarding.isIdentityField(field, bytes) || $0.forwarding.isTokenHeader(field, bytes) }
                    ?? false
            }
        }
        server.endBody(trailers: lines)
        lifecycle.keptRequest?.bodyEnded(trailers: trailers)
        server.flush(bodyFollows: true)
        server.requestSent(at: worker.now())
    }

    /// The body cannot be read on.
    func bodyViolated(_ violation: HTTPViolation) { endInBody(Refusal(violation)) }

    private func bodyTooLarge() { endInBody(.payloadTooLarge) }

    private func endInBody(_ refusal: Refusal) {
        if lifecycle.awaitsResponse { refuse(refusal, closing: true) } else { cut() }
    }
}
