import HTTPCore
import NIOCore
import Tenants

/// A granted request's way to a server, and what the server makes of it.
extension ClientExchange {
    /// Times that servers may send a request back unseen before that is the answer.
    private static let mostRefusedTries = 2

    final func forward(_ grant: Grant, _ head: RequestHead, _ bytes: ByteBuffer) {
        triedServers.removeAll(keepingCapacity: true)
        triesMade = 0
        if head.hasUpgrade, let violation = readHandshake(head, bytes.readableBytesUInt8Span) {
            return refuse(Refusal(violation))
        }
        var context = ForwardingContext(
            peer: peer,
            requestID: record.id,
            traceID: (worker.identifiers.next(), worker.identifiers.next()),
            spanID: worker.identifiers.next() | 1,
            version: record.version,
            handshake: handshake,
            wantsPlainAnswer: capture != nil
        )
        if let trace = record.trace { context.continues(trace, grant.outcome, at: worker.now()) }
        guard let pool = chooseServer() else { return refuse(.backendUnavailable) }
        let lease = pool.lease(for: self)
        // The offsets of another head would give this request that one's fields.
        guard headStamp.holds(for: head) else {
            assertionFailure("another head was parsed before this one was forwarded")
            return giveUp(lease, of: pool)
        }
        switch lease {
        case .server(let server):
            take(server)
            BackendRequest.write(
                grant,
                head,
                bytes.readableBytesUInt8Span,
                router: worker.serving.router,
                context: context,
                to: &server.request
            )
            headWritten(server, at: noteForwarded())
        case .waiting:
            var buffer = worker.allocator.buffer(capacity: head.length + 1024)
            BackendRequest.write(
                grant,
                head,
                bytes.readableBytesUInt8Span,
                router: worker.serving.router,
                context: context,
                to: &buffer
            )
            pendingHead = buffer
            _ = noteForwarded()
            wait(at: pool)
        case .refused: refuse(.overloaded)
        }
    }

    /// The request cannot be forwarded any more, nor its connection trusted: 500.
    private func giveUp(_ lease: ServerPool.Lease, of pool: ServerPool) {
        switch lease {
        case .server(let server): server.giveBack()
        case .waiting: pool.forget(self)
        case .refused: break
        }
        worker.failedInternally("a parsed head was overwritten before it was forwarded")
        refuse(.internalError, closing: true)
        retireConnection()
    }

    /// The head for the server is written. Gives the moment, in monotonic nanoseconds.
    private func noteForwarded() -> UInt64 {
        let now = worker.now()
        // What a request that is made again waited for meanwhile is not ours.
        if record.forwardedAt == 0 { record.forwardedAt = now }
        endWork(at: now)
        return now
    }

    /// What is wrong with a handshake for a WebSocket; nil too where the request is none.
    private func readHandshake(_ head: RequestHead, _ bytes: Span<UInt8>) -> HTTPViolation? {
        do throws(HTTPViolation) {
            let lacksKey = record.version == .http2
            handshake = try WebSocketUpgrade(head, bytes, lacksKey: lacksKey, &worker.identifiers)
            return nil
        } catch {
            return error
        }
    }

    /// - Parameter orAgain: Whether a server that had the request may have it again, where there is no other.
    final func chooseServer(orAgain: Bool = false) -> ServerPool? {
        endAttempt()
        guard let servers = record.tenant?.servers else { return nil }
        var pool = servers.choose(for: record.caller, butNot: triedServers)
        if pool == nil, orAgain { pool = servers.choose(for: record.caller, butNot: []) }
        attempt = pool
        attemptBegunAt = worker.lastTick
        guard handshake != nil, let chosen = pool else { return pool }
        if let upgrades = chosen.forUpgrades { return upgrades }
        // It speaks HTTP/2 only; another may not.
        guard !triedServers.contains(chosen.place) else { return nil }
        triedServers.append(chosen.place)
        return chooseServer()
    }

    /// For as long as the server would have to answer, once it has the request.
    final func wait(at pool: ServerPool) {
        waitingAt = pool
        phase = .waitingForServer
        setDeadline(pool.responseTimeout)
    }

    /// A connection came for which the request has waited.
    final func serverReady(_ server: ServerExchange) {
        // The server of a pool where it does not wait is not for this request.
        guard let pool = waitingAt, pool === server.leasedFrom else { return server.giveBack() }
        waitingAt = nil
        sendPending(to: server)
    }

    /// Nothing happens, and the server is free again, if the request no longer waits.
    final func sendPending(to server: ServerExchange) {
        guard case .waitingForServer = phase, let head = pendingHead else { return server.giveBack() }
        setDeadline(nil)
        pendingHead = nil
        take(server)
        server.request.writeImmutableBuffer(head)
        headWritten(server, at: worker.now())
        if case .body = phase {
            setReading(true)
            process()
        }
    }

    /// No connection to this server could be opened: nothing was sent, so any other server may have the request.
    final func serverUnreachable(_ pool: ServerPool) {
        waitingAt = nil
        // Others that were told before may have taken this one along.
        guard case .waitingForServer = phase else { return }
        record.trace?.lost(pool, "connect failed", at: worker.now())
        triedServers.append(pool.place)
        guard record.tenant?.retries.afterConnectFailure == true else { return refuseWaiting(.backendUnavailable) }
        waitAtAnotherServer()
    }

    private func waitAtAnotherServer(orAgain: Bool = false) {
        guard let pool = chooseServer(orAgain: orAgain) else { return refuseWaiting(.backendUnavailable) }
        switch pool.lease(for: self) {
        case .server(let server): sendPending(to: server)
        case .waiting: wait(at: pool)
        case .refused: refuseWaiting(.overloaded)
        }
    }

    /// Nobody took the request that was waiting.
    final func refuseWaiting(_ refusal: Refusal) {
        waitingAt?.forget(self)
        waitingAt = nil
        pendingHead = nil
        refuse(refusal)
        proceed()
    }

    private func take(_ server: ServerExchange) {
        self.server = server
        record.server = server.leasedFrom
        record.trace?.took(server.leasedFrom)
        server.begin(self, ServerExchange.Request(self))
    }

    /// - Parameter now: Monotonic nanoseconds.
    private func headWritten(_ server: ServerExchange, at now: UInt64) {
        triesMade += 1
        let mayRetry = record.tenant?.retries.allows(record.method, afterTries: triesMade) == true
        exchange.serverTaken(mayRetry: mayRetry && requestFraming == .none)
        guard requestFraming == .none else {
            phase = .body
            beginBodyRate()
            if let body = bodyInHand {
                bodyInHand = nil
                if body.content.readableBytes > 0 { server.send(body.content) }
                endRequest(server, trailers: body.trailers)
            }
            return
        }
        exchange.requestCompleted()
        phase = .answer
        server.flush(bodyFollows: false)
        server.requestSent(at: now)
    }

    /// The answer is complete and its server free again: on to what the client sent meanwhile.
    final func proceed() {
        setReading(true)
        process()
    }

    // MARK: What the server tells

    /// Bytes of an answer came, if only the first: this server has seen the request.
    final func serverSpoke() {
        exchange.serverSpoke()
    }

    /// Gives whether the server can take another request on the same connection.
    ///
    /// - Parameter now: Monotonic nanoseconds.
    final func answerCompleted(serverKeepsAlive: Bool, trailers: [UInt8], at now: UInt64) -> Bool {
        if holdsEnd(trailers: trailers) {
            server = nil
            // Nobody takes more of the request until then.
            setReading(false)
            return exchange.mayReuseServer(serverKeepsAlive: serverKeepsAlive)
        }
        return completeAnswer(serverKeepsAlive: serverKeepsAlive, trailers: trailers, at: now)
    }

    /// - Parameter now: Monotonic nanoseconds.
    final func completeAnswer(serverKeepsAlive: Bool, trailers: [UInt8], at now: UInt64) -> Bool {
        writeEnd(trailers: trailers)
        let completion = exchange.answerCompleted(serverKeepsAlive: serverKeepsAlive, clientStays: clientStays)
        if let request = dueRefresh { refreshAhead(request) }
        finishRecord(status: record.status, at: now)
        server = nil
        flushAnswer()
        // The write may have shown that the client is gone.
        if case .closed = phase { return completion.reusesServer }
        answerIsOut(completion, at: now)
        return completion.reusesServer
    }

    final func serverWritabilityChanged(_ isWritable: Bool) {
        switch phase {
        case .body:
            setReading(isWritable)
            // Also when it takes no more: the client is not waited for then.
            if self.isWritable { updateBodyDeadline() }
        case .tunnel: setReading(isWritable)
        default: break
        }
    }

    /// - Parameters:
    ///   - endsProperly: Whether the close is how this answer's body ends.
    ///   - wasActedOn: Whether the server may have acted on the request; if it said that it did not, any other may.
    final func serverLost(_ lost: ServerExchange, endsProperly: Bool, wasActedOn: Bool = true) {
        guard lost === server else { return }
        // Seen inside the handling of a request, which may be another's or this one.
        guard !worker.isHeadInUse else {
            return worker.postpone { [self] in
                serverLost(lost, endsProperly: endsProperly, wasActedOn: wasActedOn)
            }
        }
        server = nil
        if !wasActedOn, requestFraming == .none, triesMade < Self.mostRefusedTries {
            exchange.serverTaken(mayRetry: true)
        }
        if case .tunnel = phase {
            tunnel?.serverGone()
            return
        }
        switch exchange.serverLost(endsProperly: endsProperly) {
        case .retry:
            pendingHead = lost.request
            record.trace?.lost(lost.leasedFrom, "connection lost", at: worker.now())
            if let pool = lost.leasedFrom { triedServers.append(pool.place) }
            phase = .waitingForServer
            setDeadline(lost.leasedFrom?.responseTimeout)
            // Not from here: each lost connection would be another step down the stack.
            let bound = NIOLoopBound(self, eventLoop: worker.eventLoop)
            worker.eventLoop.execute { bound.value.retry() }
        case .answerBadGateway:
            refuse(.backendBroke)
            proceed()
        case .endOfAnswer:
            _ = answerCompleted(serverKeepsAlive: false, trailers: [], at: worker.now())
            proceed()
        case .cutClient:
            flushAnswer()
            cut()
        case .nothing: break
        }
    }

    private func retry() {
        if case .waitingForServer = phase, waitingAt == nil { waitAtAnotherServer(orAgain: true) }
    }

    final func serverTimedOut(_ late: ServerExchange) {
        assert(!worker.isHeadInUse, "a deadline is met while a head is in use")
        guard late === server else { return }
        server = nil
        refuse(.backendTimeout)
        proceed()
    }
}
