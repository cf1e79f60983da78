import Authorization
import HTTPCore
import NIOCore
import Tenants
import Upstream

/// The request's body, piece by piece, from the client to the server or endpoint.
extension RequestExchange {
    /// Whether body pieces are accepted now.
    var takesBody: Bool { lifecycle.takesBody }

    /// Takes a piece. Returns whether there may be more; if not, the exchange is over.
    func bodyReceived(_ piece: ByteBuffer) -> Bool {
        let limit = limits?.bodyBytes
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
        if mirror != nil { keepForMirror(piece) }
        upstream.server?.send(piece)
        return true
    }

    /// The whole received body was taken and goes on to the server.
    ///
    /// - Parameter received: See ``bodyAwaited(since:)``.
    /// - Returns: Whether to go on reading from the client.
    func flushBody(since received: Int) -> Bool {
        upstream.server?.flush(bodyFollows: true)
        bodyAwaited(since: received)
        return upstream.server?.isWritable != false
    }

    /// Starts or continues waiting for the client's body.
    ///
    /// - Parameter received: The previous ``RequestBody/count``. Without a further byte the deadline stays as it is.
    func bodyAwaited(since received: Int) {
        // Sending the body on may bring the response, and end the exchange.
        guard takesBody, lifecycle.body.count > received || !rates.request.hasBegun else { return }
        // Sending a body does not excuse a client that takes none of the response.
        if takesResponse { updateBodyDeadline() }
    }

    /// The body is complete.
    ///
    /// - Parameter trailers: Lines that were parsed before, each with its CRLF. No decision depends on them.
    func bodyEnded(trailers: [UInt8]) {
        if takesResponse { setDeadline(nil) } else { responseIsHeldUp() }
        guard advance({ $0.bodyEnded() }) != nil else { return }
        if let call = lifecycle.endpointCall { return callEndpoint(call) }
        if mirror != nil { mirrorIsWhole() }
        // The server has answered before, and its response is held here: the server needs no more.
        guard let server = upstream.server else { return }
        endRequest(server, trailers: trailers)
    }

    /// Sends the end of the request to the server.
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

    /// The rest of the body cannot be read.
    func bodyViolated(_ violation: HTTPViolation) { endInBody(Refusal(violation)) }

    private func bodyTooLarge() { endInBody(.payloadTooLarge) }

    private func endInBody(_ refusal: Refusal) {
        if lifecycle.awaitsResponse { refuse(refusal, closing: true) } else { cut() }
    }
}
