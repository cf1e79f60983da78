import NIOCore
import Tenants

/// What the client sends: heads are decided on, bodies passed through.
extension ClientConnection {
    /// Uses what has been read, as far as it goes.
    func process() {
        while true {
            switch phase {
            case .head:
                guard isWritable else { return holdUp() }
                guard readHead() else { return dropEmptyInput() }
            case .body:
                guard readBody() else { return dropEmptyInput() }
            case .readingPastBody(let allowance):
                guard readPastBody(allowance) else { return dropEmptyInput() }
            case .deciding, .waitingForServer, .answer:
                if input.readableBytes > Self.pipelineLimit { setReading(false) }
                return dropEmptyInput()
            case .closing, .lingering, .closed:
                input = ByteBuffer()
                return
            }
        }
    }

    /// The answer is complete and its server connection free again: on to what the client sent meanwhile.
    func proceed() {
        setReading(true)
        if input.readableBytes > 0 { process() }
    }

    /// Answers that the client does not take are not made; it is not late with its head meanwhile.
    private func holdUp() {
        setReading(false)
        setDeadline(worker.idleTimeout)
    }

    /// An empty buffer is given back, so that the channel can read into it again.
    private func dropEmptyInput() {
        if input.readableBytes == 0 { input = ByteBuffer() }
    }

    // MARK: Heads

    /// Gives whether a head was complete, whatever came of it.
    private func readHead() -> Bool {
        let bytes = input
        let count = bytes.readableBytes
        guard count > 0 else { return false }
        // Byte by byte, a head is only looked at again when another of its lines is complete.
        if searched > 0, count < worker.parser.maximumBytes,
            bytes.readableBytesUInt8Span.nextLineFeed(from: searched) == nil
        {
            searched = count
            return false
        }
        switch worker.parser.parse(bytes.readableBytesUInt8Span, into: worker.requestHead) {
        case .incomplete:
            if searched == 0 { setDeadline(worker.headerTimeout) }
            searched = count
            return false
        case .refused(let violation):
            record = ExchangeRecord(startedAt: worker.now(), id: worker.identifiers.requestID())
            refuse(Refusal(violation), closing: true)
            return true
        case .complete:
            searched = 0
            input.moveReaderIndex(forwardBy: worker.requestHead.length)
            begin(worker.requestHead, bytes)
            return true
        }
    }

    private func begin(_ head: RequestHead, _ bytes: ByteBuffer) {
        let span = bytes.readableBytesUInt8Span
        setDeadline(nil)
        record = ExchangeRecord(startedAt: worker.now(), id: requestID(head, span))
        record.note(head, span)
        requestFraming = head.framing
        decoder = BodyDecoder(head.framing)
        bodyBytesReceived = 0
        exchange = Exchange(
            clientWantsKeepAlive: head.keepsAlive,
            expectsContinue: head.expectsContinue
        )
        decide(head, bytes, mayNeed: true)
    }

    /// A slow step of the decision is done: the same request, from its head on, is decided on again.
    func decideAgain() {
        guard let bytes = undecided, case .deciding = phase else { return }
        undecided = nil
        // The loop's head object has served other requests meanwhile.
        phase = .head
        if worker.parser.parse(bytes.readableBytesUInt8Span, into: worker.requestHead) == .complete {
            decide(worker.requestHead, bytes, mayNeed: false)
        } else {
            refuse(.overloaded)
        }
        setReading(true)
        process()
    }

    private func decide(_ head: RequestHead, _ bytes: ByteBuffer, mayNeed: Bool) {
        let span = bytes.readableBytesUInt8Span
        let serving = worker.serving
        switch serving.router.route(head, span) {
        case .refused(let refusal, let tenant):
            record.tenant = tenant
            worker.logRequest(&record, head, span, isBehindProxy: peer.isTrustedProxy)
            refuse(refusal)
        case .routed(let request):
            record.tenant = request.tenant
            worker.logRequest(&record, head, span, isBehindProxy: peer.isTrustedProxy)
            if isTooLarge(request.tenant, head.framing) { return refuse(.payloadTooLarge) }
            let now = worker.unixTime(at: record.startedAt)
            switch serving.decision.decide(
                request,
                head,
                span,
                memory: tokenMemory,
                mayNeed: mayNeed,
                at: now
            ) {
            case .refused(let refusal): refuse(refusal)
            case .granted(let grant):
                record.outcome = grant.outcome
                record.caller = grant.caller
                forward(grant, head, bytes)
            case .needs(let step):
                undecided = bytes
                phase = .deciding
                if !worker.perform(step, for: self) {
                    undecided = nil
                    refuse(.overloaded)
                }
            }
        }
    }

    /// A trusted proxy's identifier is kept, so that one request has one in all logs.
    private func requestID(_ head: RequestHead, _ bytes: Span<UInt8>) -> RequestID {
        if peer.isTrustedProxy {
            for index in 0..<head.fieldCount where head.fields[index].known == .xRequestID {
                if let id = RequestID(bytes.extracting(head.fields[index].value)) { return id }
            }
        }
        return worker.identifiers.requestID()
    }

    private func isTooLarge(_ tenant: TenantRuntime, _ framing: RequestFraming) -> Bool {
        guard let limit = tenant.tenant.limits.bodyBytes, case .length(let length) = framing else { return false }
        return length > limit
    }

    // MARK: To a server

    private func forward(_ grant: Grant, _ head: RequestHead, _ bytes: ByteBuffer) {
        triedServers.removeAll(keepingCapacity: true)
        record.forwardedAt = worker.now()
        let context = ForwardingContext(
            peer: peer,
            requestID: record.id,
            traceID: (worker.identifiers.next(), worker.identifiers.next()),
            spanID: worker.identifiers.next() | 1
        )
        guard let pool = grant.request.tenant.servers.choose(butNot: []) else { return refuse(.backendUnavailable) }
        switch pool.lease(for: self) {
        case .connection(let connection):
            take(connection)
            BackendRequest.write(
                grant,
                head,
                bytes.readableBytesUInt8Span,
                router: worker.serving.router,
                context: context,
                to: &connection.request
            )
            headWritten(connection, at: record.forwardedAt)
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
            wait(at: pool)
        case .refused: refuse(.overloaded)
        }
    }

    /// For as long as the server would have to answer, once it has the request.
    private func wait(at pool: ServerPool) {
        waitingAt = pool
        phase = .waitingForServer
        setDeadline(pool.responseTimeout)
    }

    /// A connection came for which the request has waited.
    func serverReady(_ connection: BackendConnection) {
        waitingAt = nil
        setDeadline(nil)
        guard let head = pendingHead else { return connection.pool.release(connection, at: worker.now()) }
        pendingHead = nil
        take(connection)
        connection.request.writeImmutableBuffer(head)
        headWritten(connection, at: worker.now())
        if case .body = phase {
            setReading(true)
            process()
        }
    }

    /// No connection to this server could be opened: nothing was sent, so any other server may have the request.
    func serverUnreachable(_ pool: ServerPool) {
        waitingAt = nil
        triedServers.append(pool)
        waitAtAnotherServer()
    }

    func waitAtAnotherServer() {
        guard let pool = record.tenant?.servers.choose(butNot: triedServers) else {
            return refuseWaiting(.backendUnavailable)
        }
        switch pool.lease(for: self) {
        case .connection(let connection): serverReady(connection)
        case .waiting: wait(at: pool)
        case .refused: refuseWaiting(.overloaded)
        }
    }

    /// Nobody took the request that was waiting.
    func refuseWaiting(_ refusal: Refusal) {
        waitingAt?.forget(self)
        waitingAt = nil
        pendingHead = nil
        refuse(refusal)
        proceed()
    }

    private func take(_ connection: BackendConnection) {
        server = connection
        record.server = connection.pool
        connection.begin(self, answersHead: record.method == .head)
    }

    /// - Parameter now: Monotonic nanoseconds.
    private func headWritten(_ connection: BackendConnection, at now: UInt64) {
        if requestFraming == .none {
            exchange.serverTaken(mayRetry: connection.wasUsedBefore && record.method.isSafe)
            exchange.requestCompleted()
            phase = .answer
            connection.flush(bodyFollows: false)
            connection.requestSent(at: now)
        } else {
            phase = .body
        }
    }

    // MARK: Bodies

    /// Passes on what is there of the body. Gives whether it is complete.
    private func readBody() -> Bool {
        guard let server else { return false }
        let bytes = input
        var position = 0
        while true {
            switch decoder.next(bytes.readableBytesUInt8Span, from: &position) {
            case .data(let range):
                bodyBytesReceived += range.count
                exchange.bodyBegan()
                guard !exceedsLimit else { return bodyTooLarge() }
                sendBody(bytes, range, server)
            case .needMore:
                input.moveReaderIndex(forwardBy: position)
                server.flush(bodyFollows: true)
                // What came of the flush may have ended the exchange.
                guard self.server === server, case .body = phase else { return true }
                if !server.isWritable { setReading(false) }
                // Sending on does not excuse a client that takes nothing of an answer.
                if isWritable { setDeadline(worker.idleTimeout) }
                return false
            case .violation(let violation):
                abandonServer()
                if exchange.awaitsAnswer { refuse(Refusal(violation), closing: true) } else { cut() }
                return true
            case .end:
                input.moveReaderIndex(forwardBy: position)
                bodyEnded(server)
                return true
            }
        }
    }

    private func bodyEnded(_ server: BackendConnection) {
        if requestFraming == .chunked {
            var end = worker.allocator.buffer(capacity: 64)
            end.writeStaticString("0\r\n")
            Trailers.write(decoder.trailerSection, to: &end) { [record] field, bytes in
                record.tenant.map { $0.isIdentityField(field, bytes) || $0.isTokenHeader(field, bytes) } ?? false
            }
            end.writeStaticString("\r\n")
            server.send(end)
        }
        setDeadline(isWritable ? nil : worker.idleTimeout)
        exchange.requestCompleted()
        phase = .answer
        server.flush(bodyFollows: true)
        server.requestSent(at: worker.now())
    }

    private func sendBody(_ bytes: ByteBuffer, _ range: Range<Int>, _ server: BackendConnection) {
        guard let piece = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) else { return }
        guard requestFraming == .chunked else { return server.send(piece) }
        var size = worker.allocator.buffer(capacity: 20)
        size.writeChunkSize(range.count)
        size.writeStaticString("\r\n")
        server.send(size)
        server.send(piece)
        server.send(Self.lineEnd)
    }

    private static let lineEnd = ByteBuffer(string: "\r\n")

    private var exceedsLimit: Bool {
        guard let limit = record.tenant?.tenant.limits.bodyBytes else { return false }
        return bodyBytesReceived > limit
    }

    private func bodyTooLarge() -> Bool {
        abandonServer()
        if exchange.awaitsAnswer { refuse(.payloadTooLarge, closing: true) } else { cut() }
        return true
    }

    /// Reads past what is left of a body whose answer is out. Gives whether the next head may follow.
    private func readPastBody(_ allowance: Int) -> Bool {
        let bytes = input
        var position = 0
        while true {
            switch decoder.next(bytes.readableBytesUInt8Span, from: &position) {
            case .data: continue
            case .needMore:
                input.moveReaderIndex(forwardBy: position)
                phase = .readingPastBody(allowance: allowance - position)
                if allowance < position { lingerAndClose() }
                return false
            case .violation:
                lingerAndClose()
                return false
            case .end:
                input.moveReaderIndex(forwardBy: position)
                becomeIdle(at: worker.now())
                return true
            }
        }
    }

    func serverWritabilityChanged(_ isWritable: Bool) {
        guard case .body = phase else { return }
        setReading(isWritable)
        if isWritable && self.isWritable { setDeadline(worker.idleTimeout) }
    }
}
