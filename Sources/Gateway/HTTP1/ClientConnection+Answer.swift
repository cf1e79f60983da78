import HTTPCore
import NIOCore
import Tenants

/// What goes back to the client: the backend's answer as it comes, or the gateway's own.
extension ClientConnection {
    /// Bytes of a refused request's body that are read past to keep the connection.
    private static let readPastLimit = 64 << 10

    // MARK: The backend's answer. Small pieces gather in the loop's output buffer until the read is over.

    func writeInterim(_ head: ResponseHead, _ bytes: Span<UInt8>) {
        if head.status == 100 { continuePassedOn() }
        // HTTP/1.0 has no interim answers (RFC 9110 section 15.2).
        guard record.version != .http10 else { return }
        takeOutput()
        ClientAnswer.writeInterim(head, bytes, shape: answerShape, to: &worker.output)
        writeOutput()
        flush()
    }

    func writeHead(_ head: ResponseHead, _ bytes: Span<UInt8>, _ framing: ResponseFraming) {
        record.status = head.status
        let delivery = ClientAnswer.Delivery(framing, clientMinorVersion: record.version == .http10 ? 0 : 1)
        answerIsChunked = delivery.isChunked
        answerIsCloseDelimited = delivery.isCloseDelimited
        clientStays = exchange.answerBegan(draining: worker.isDraining) && !delivery.isCloseDelimited
        takeOutput()
        ClientAnswer.write(
            head,
            bytes,
            delivery,
            ClientAnswer.Connection(minorVersion: record.version == .http10 ? 0 : 1, stays: clientStays),
            date: worker.date,
            lines: answerLines,
            shape: answerShape,
            to: &worker.output
        )
    }

    func writeBody(_ bytes: ByteBuffer, _ range: Range<Int>) {
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
    func flushOutput() {
        writeOutput()
        flush()
        if !isWritable { server?.setReading(false) }
        // While both talk, the client is not late with its body.
        if case .body = phase, isWritable { updateBodyDeadline() }
    }

    func writeLast(trailers: [UInt8]) {
        guard answerIsChunked else { return }
        takeOutput()
        worker.output.writeStaticString("0\r\n")
        let shape = answerShape
        Trailers.write(trailers, to: &worker.output) { field, bytes in
            shape?.drops(field, bytes, isUnkept: false) ?? false
        }
        worker.output.writeStaticString("\r\n")
    }

    func goOn(_ completion: Exchange.Completion, at now: UInt64) {
        switch completion.client {
        case .keep: becomeIdle(at: now)
        case .close: lingerAndClose()
        case .readPastBody:
            setReading(true)
            phase = .readingPastBody(allowance: Self.readPastLimit)
            setDeadline(worker.idleTimeout)
        }
    }

    func becomeIdle(at now: UInt64) {
        phase = .head
        if worker.isDraining { return lingerAndClose() }
        setDeadline(input.readableBytes > 0 ? worker.headerTimeout : worker.idleTimeout, from: now)
    }

    // MARK: The gateway's own answer

    func writeRefusal(_ refusal: Refusal, closing: Bool) {
        let rest = closing ? Rest.unknown : restOfBody
        let stays = exchange.answerBegan(draining: worker.isDraining) && rest != .unknown
        record.outcome = .refused(refusal.code)
        takeOutput()
        let answer = RefusalWriter.Exchange(
            realm: record.tenant?.tenant.name,
            proofs: record.tenant?.proving?.challenge,
            requestID: record.id,
            isHead: record.method == .head,
            minorVersion: record.version == .http10 ? 0 : 1,
            closes: !stays,
            date: worker.date,
            lines: answerLines
        )
        if var shape = answerShape {
            shape.isOurs = true
            record.bodyBytes = write(refusal, answer, shape)
        } else {
            record.bodyBytes = RefusalWriter.write(refusal, answer, to: &worker.output)
        }
        let now = worker.now()
        finishRecord(status: refusal.status, at: now)
        // What a failing write sets off must not find us between two requests.
        phase = .answer
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

    /// A refusal as the answers of its tenant are. Gives the length of its body.
    private func write(_ refusal: Refusal, _ answer: RefusalWriter.Exchange, _ shape: AnswerShape) -> Int {
        var whole = worker.allocator.buffer(capacity: 1024)
        let count = RefusalWriter.write(refusal, answer, to: &whole)
        let head = worker.responseHead
        if worker.responseParser.parse(whole.readableBytesUInt8Span, into: head) == .complete {
            ClientAnswer.write(
                head,
                whole.readableBytesUInt8Span,
                ClientAnswer.Delivery(.length(count), clientMinorVersion: answer.minorVersion),
                ClientAnswer.Connection(minorVersion: answer.minorVersion, stays: !answer.closes),
                date: answer.date,
                lines: [],
                shape: shape,
                to: &worker.output
            )
            whole.moveReaderIndex(forwardBy: head.length)
        }
        worker.output.writeImmutableBuffer(whole)
        return count
    }

    private enum Rest {
        case none
        case small
        case unknown
    }

    /// What is still to come of the request's body.
    private var restOfBody: Rest {
        if exchange.hasWholeRequest { return .none }
        switch requestFraming {
        case .none: return .none
        case .length(let length) where length - bodyBytesReceived <= Self.readPastLimit: return .small
        case .length, .chunked: return .unknown
        }
    }

    // MARK: Writing

    /// The loop's buffer is for one client at a time: what another has there is written first.
    private func takeOutput() {
        guard worker.outputOwner !== self else { return }
        worker.outputOwner?.writeOutput()
        worker.output.clear()
        worker.outputOwner = self
    }

    func writeOutput() {
        guard worker.outputOwner === self else { return }
        worker.outputOwner = nil
        let bytes = worker.output
        // Free for others before anything is written, which may run them.
        worker.output.clear()
        write(bytes)
    }

    func write(_ bytes: ByteBuffer) {
        writtenBytes &+= UInt64(bytes.readableBytes)
        context?.write(wrapOutboundOut(bytes), promise: nil)
        hasUnflushed = true
    }

    private func flush() {
        guard hasUnflushed else { return }
        hasUnflushed = false
        context?.flush()
        if !isWritable { updateBacklog() }
    }

    // MARK: Tunnels

    func writeSwitch(_ head: ResponseHead, _ bytes: Span<UInt8>) {
        takeOutput()
        ClientAnswer.writeSwitching(head, bytes, lines: answerLines, shape: answerShape, to: &worker.output)
        writeOutput()
        flush()
    }

    func closeTunnel() {
        flush()
        if case .tunnel = phase { lingerAndClose() }
    }
}
