import HTTPCore
import NIOCore
import Tenants

/// What the client sends: heads are decided on, bodies passed through.
extension ClientConnection {
    func readOn() {
        while true {
            switch phase {
            case .head where input.readableBytes == 0: return dropEmptyInput()
            case .head:
                guard isWritable else { return holdUp() }
                guard readHead() else { return dropEmptyInput() }
            case .body:
                guard readBody() else { return dropEmptyInput() }
            case .readingPastBody(let allowance):
                guard readPastBody(allowance) else { return dropEmptyInput() }
            case .tunnel: return readTunnel()
            case .deciding, .waitingForServer, .answer:
                if input.readableBytes > Self.pipelineLimit { setReading(false) }
                return dropEmptyInput()
            case .closing, .lingering, .closed:
                input = ByteBuffer()
                return
            }
        }
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

    /// The loop's head is in use by another request, inside which this was called.
    private func readLater() {
        guard !readsLater else { return }
        readsLater = true
        worker.postpone { [self] in
            readsLater = false
            process()
        }
    }

    /// Gives whether a head was complete, whatever came of it.
    private func readHead() -> Bool {
        guard !worker.isHeadInUse else {
            readLater()
            return false
        }
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
            decoder = BodyDecoder(worker.requestHead.framing)
            begin(worker.requestHead, bytes, version: worker.requestHead.minorVersion == 0 ? .http10 : .http11)
            return true
        }
    }

    // MARK: Bodies

    /// Passes on what is there of the body. Gives whether it is complete.
    private func readBody() -> Bool {
        guard let server else { return false }
        let bytes = input
        let receivedBefore = bodyBytesReceived
        var position = 0
        while true {
            switch decoder.next(bytes.readableBytesUInt8Span, from: &position) {
            case .data(let range):
                guard bodyReceived(range.count) else {
                    bodyTooLarge()
                    return true
                }
                if let piece = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) {
                    passOn(piece, to: server)
                }
            case .needMore:
                input.moveReaderIndex(forwardBy: position)
                server.flush(bodyFollows: true)
                // What came of the flush may have ended the exchange.
                guard self.server === server, case .body = phase else { return true }
                if !server.isWritable { setReading(false) }
                bodyAwaited(since: receivedBefore)
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

    private func bodyEnded(_ server: ServerExchange) {
        if isWritable { setDeadline(nil) } else { answerIsHeldUp() }
        endRequest(server, trailers: decoder.trailerSection)
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

    // MARK: Tunnels

    private func readTunnel() {
        guard input.readableBytes > 0 else { return }
        let bytes = input
        input = ByteBuffer()
        tunnel?.clientSent(bytes)
    }
}
