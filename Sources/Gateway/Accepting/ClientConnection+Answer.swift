import NIOCore
import Tenants

/// What goes back to the client: the backend's answer as it comes, or the gateway's own.
extension ClientConnection {
    /// Bytes of a refused request's body that are read past to keep the connection.
    private static let readPastLimit = 64 << 10

    // MARK: The backend's answer. Small pieces gather in the loop's output buffer until the read is over.

    func interim(_ head: ResponseHead, _ bytes: Span<UInt8>) {
        if head.status == 100 { exchange.continuePassedOn() }
        // HTTP/1.0 has no interim answers (RFC 9110 section 15.2).
        guard record.minorVersion >= 1 else { return }
        worker.output.clear()
        hasOutput = true
        ClientAnswer.writeInterim(head, bytes, to: &worker.output)
        writeOutput()
        flush()
    }

    func answerBegan(_ head: ResponseHead, _ bytes: Span<UInt8>, _ framing: ResponseFraming) {
        record.status = head.status
        let delivery = ClientAnswer.Delivery(framing, clientMinorVersion: record.minorVersion)
        answerIsChunked = delivery.isChunked
        answerIsCloseDelimited = delivery.isCloseDelimited
        clientStays = exchange.answerBegan(draining: worker.isDraining) && !delivery.isCloseDelimited
        worker.output.clear()
        hasOutput = true
        ClientAnswer.write(
            head,
            bytes,
            delivery,
            ClientAnswer.Connection(minorVersion: record.minorVersion, stays: clientStays),
            date: worker.date,
            to: &worker.output
        )
    }

    func answerBody(_ bytes: ByteBuffer, _ range: Range<Int>) {
        record.bodyBytes += range.count
        takeOutput()
        if answerIsChunked {
            worker.output.writeChunkSize(range.count)
            worker.output.writeStaticString("\r\n")
        }
        if range.count <= BackendConnection.coalesceLimit {
            worker.output.writeBytes(bytes.readableBytesUInt8Span.extracting(range).bytes)
        } else if let piece = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) {
            writeOutput()
            write(piece)
        }
        if answerIsChunked {
            takeOutput()
            worker.output.writeStaticString("\r\n")
        }
    }

    /// The server's read is over: what came of it leaves.
    func flushAnswer() {
        writeOutput()
        flush()
        if !isWritable { server?.setReading(false) }
    }

    /// Gives whether the server's connection can take another request.
    ///
    /// - Parameter now: Monotonic nanoseconds.
    func answerCompleted(serverKeepsAlive: Bool, trailers: [UInt8], at now: UInt64) -> Bool {
        if answerIsChunked {
            takeOutput()
            worker.output.writeStaticString("0\r\n")
            Trailers.write(trailers, to: &worker.output) { _, _ in false }
            worker.output.writeStaticString("\r\n")
        }
        let completion = exchange.answerCompleted(serverKeepsAlive: serverKeepsAlive, clientStays: clientStays)
        finishRecord(status: record.status, at: now)
        server = nil
        writeOutput()
        flush()
        // The write may have shown that the client is gone.
        if case .closed = phase { return completion.reusesServer }
        switch completion.client {
        case .keep: becomeIdle(at: now)
        case .close: lingerAndClose()
        case .readPastBody:
            setReading(true)
            phase = .readingPastBody(allowance: Self.readPastLimit)
            setDeadline(worker.idleTimeout)
        }
        return completion.reusesServer
    }

    func becomeIdle(at now: UInt64) {
        phase = .head
        if worker.isDraining { return lingerAndClose() }
        setDeadline(input.readableBytes > 0 ? worker.headerTimeout : worker.idleTimeout, from: now)
    }

    // MARK: No answer, or only part of one

    /// Bytes of an answer came, if only the first: this server has seen the request.
    func serverSpoke() {
        exchange.serverSpoke()
    }

    func serverLost(_ connection: BackendConnection, endsProperly: Bool) {
        guard connection === server else { return }
        server = nil
        switch exchange.serverLost(endsProperly: endsProperly) {
        case .retry:
            pendingHead = connection.request
            triedServers.removeAll(keepingCapacity: true)
            phase = .waitingForServer
            setDeadline(connection.pool.responseTimeout)
            // Not from here: many connections that were idle may be dead, and each would be another step down the stack.
            let bound = NIOLoopBound(self, eventLoop: worker.eventLoop)
            worker.eventLoop.execute { bound.value.retry() }
        case .answerBadGateway:
            refuse(.backendBroke)
            proceed()
        case .endOfAnswer:
            _ = answerCompleted(serverKeepsAlive: false, trailers: [], at: worker.now())
            proceed()
        case .cutClient:
            writeOutput()
            flush()
            cut()
        case .nothing: break
        }
    }

    private func retry() {
        if case .waitingForServer = phase, waitingAt == nil { waitAtAnotherServer() }
    }

    func serverTimedOut(_ connection: BackendConnection) {
        guard connection === server else { return }
        server = nil
        refuse(.backendTimeout)
        proceed()
    }

    // MARK: The gateway's own answer

    /// - Parameter closing: Whether the connection cannot go on, because nobody knows where the next request begins.
    func refuse(_ refusal: Refusal, closing: Bool = false) {
        let rest = closing ? Rest.unknown : restOfBody
        let stays = exchange.answerBegan(draining: worker.isDraining) && rest != .unknown
        record.outcome = .refused(refusal.code)
        worker.output.clear()
        record.bodyBytes = RefusalWriter.write(
            refusal,
            RefusalWriter.Exchange(
                realm: record.tenant?.tenant.name,
                requestID: record.id,
                isHead: record.method == .head,
                minorVersion: record.minorVersion,
                closes: !stays,
                date: worker.date
            ),
            to: &worker.output
        )
        let now = worker.now()
        finishRecord(status: refusal.status, at: now)
        // What a failing write sets off must not find us between two requests.
        phase = .answer
        hasOutput = true
        writeOutput()
        flush()
        if case .closed = phase { return }
        setReading(true)
        if !stays { return lingerAndClose() }
        switch rest {
        case .none, .unknown: becomeIdle(at: now)
        case .small:
            phase = .readingPastBody(allowance: Self.readPastLimit)
            setDeadline(worker.idleTimeout)
        }
    }

    private enum Rest {
        case none
        case small
        case unknown
    }

    /// What is still to come of the request's body.
    private var restOfBody: Rest {
        if case .answer = phase { return .none }
        switch requestFraming {
        case .none: return .none
        case .length(let length) where length - bodyBytesReceived <= Self.readPastLimit: return .small
        case .length, .chunked: return .unknown
        }
    }

    // MARK: Writing

    /// The loop's buffer is for one client at a time: from here until it is written it is this one's.
    private func takeOutput() {
        guard !hasOutput else { return }
        worker.output.clear()
        hasOutput = true
    }

    private func writeOutput() {
        guard hasOutput else { return }
        hasOutput = false
        write(worker.output)
        worker.output.clear()
    }

    private func write(_ bytes: ByteBuffer) {
        context?.write(wrapOutboundOut(bytes), promise: nil)
        hasUnflushed = true
    }

    private func flush() {
        guard hasUnflushed else { return }
        hasUnflushed = false
        context?.flush()
    }

    func finishRecord(status: Int, at now: UInt64) {
        record.status = status
        worker.finished(&record, peer: peer, at: now)
    }
}
