import HTTPCore
import NIOCore

/// What the server sends: heads, bodies, and the bytes of a tunnel.
extension BackendConnection {
    func readAnswer() {
        while true {
            switch phase {
            case .closed: return
            case .idle:
                // Bytes that nobody asked for would be taken for the answer to the next request.
                if input.readableBytes > 0 { close() }
                return
            case .head:
                guard input.readableBytes > 0, readHead() else { return }
            case .body:
                guard readBody() else { return }
            case .tunnel:
                guard input.readableBytes > 0 else { return }
                let bytes = input
                input = ByteBuffer()
                client?.tunnel?.serverSent(bytes)
                return
            }
        }
    }

    /// Nothing may be switched that was not asked for, and only to what was (RFC 9110 section 15.2.2).
    private func switchProtocols(_ client: ClientExchange, _ head: ResponseHead, _ bytes: ByteBuffer) -> Bool {
        client.serverSpoke()
        guard let handshake, handshake.isAnswered(by: head, bytes.readableBytesUInt8Span) else {
            broken()
            return false
        }
        input.moveReaderIndex(forwardBy: head.length)
        phase = .tunnel
        setDeadline(WheelTimer.never)
        pool.counters.answers += 1
        pool.answered(client)
        client.beginTunnel(head, bytes.readableBytesUInt8Span)
        return true
    }

    /// Gives whether there is more to do with what has been read.
    private func readHead() -> Bool {
        let bytes = input
        let count = bytes.readableBytes
        if searched > 0, count < ResponseHeadParser.maximumBytes,
            bytes.readableBytesUInt8Span.nextLineFeed(from: searched) == nil
        {
            searched = count
            return false
        }
        hasSpoken = true
        let head = worker.responseHead
        switch worker.responseParser.parse(bytes.readableBytesUInt8Span, into: head) {
        case .incomplete:
            searched = count
            client?.serverSpoke()
            return false
        case .garbled:
            client?.serverSpoke()
            broken()
            return false
        case .complete: break
        }
        guard let client else { return false }
        if head.status >= 200, client.holdsAnswer(head, bytes.readableBytesUInt8Span) {
            if !handOver(head, bytes, to: client) { hold(client) }
            return false
        }
        if head.status == 101 { return switchProtocols(client, head, bytes) }
        searched = 0
        input.moveReaderIndex(forwardBy: head.length)
        if head.status < 200 {
            client.serverSpoke()
            client.interim(head, bytes.readableBytesUInt8Span)
            return true
        }
        let framing = head.framing(answeringHead: answersHead)
        // A server that sends the body that it announces here would answer the next request with it.
        let mayHaveStray = framing == .none && head.status != 304 && (head.isChunked || (head.contentLength ?? 0) > 0)
        pool.answered(client)
        keepsAlive = head.keepsAlive && framing != .untilClose && !mayHaveStray && lossWhileHeld == nil
        phase = .body(BodyDecoder(framing))
        client.answerBegan(head, bytes.readableBytesUInt8Span, framing)
        return true
    }

    /// An answer that has to wait, and is here as a whole, waits at the client's side: the connection is free for others.
    /// Gives whether it is.
    private func handOver(_ head: ResponseHead, _ bytes: ByteBuffer, to client: ClientExchange) -> Bool {
        guard client.takesHeldAnswers, requestIsOut, lossWhileHeld == nil, head.keepsAlive else { return false }
        let length: Int
        switch head.framing(answeringHead: answersHead) {
        case .length(let content): length = content
        // What is announced for HEAD may be sent all the same.
        case .none where !head.isChunked && (head.contentLength ?? 0) == 0: length = 0
        case .none, .chunked, .untilClose: return false
        }
        guard bytes.readableBytes - head.length == length else { return false }
        input = ByteBuffer()
        isHeld = false
        pool.answered(client)
        pool.counters.answers += 1
        client.takeHeldAnswer(bytes)
        self.client = nil
        wasUsedBefore = true
        phase = .idle
        setReading(true)
        pool.release(self, at: worker.now())
        return true
    }

    /// The answer stays where it is until whoever has to be told first was told.
    private func hold(_ client: ClientExchange) {
        client.serverSpoke()
        searched = 0
        isHeld = false
        // The rest of a short one may be on its way.
        if !client.takesHeldAnswers || input.readableBytes > Self.mostHeld { setReading(false) }
        isHeld = true
        setDeadline(WheelTimer.never)
    }

    /// Bytes of a held answer that are read in the hope that it ends.
    private static let mostHeld = 16 << 10

    func readHeldAnswer() {
        guard isHeld else { return }
        isHeld = false
        setReading(true)
        readAnswer()
        if input.readableBytes == 0 { input = ByteBuffer() }
        client?.flushAnswer()
        if let properly = lossWhileHeld { lost(properly: properly) }
    }

    private func readBody() -> Bool {
        guard case .body(var decoder) = phase, let client else { return false }
        let bytes = input
        var position = 0
        var ended = false
        var isBroken = false
        reading: while true {
            switch decoder.next(bytes.readableBytesUInt8Span, from: &position) {
            case .needMore: break reading
            case .data(let range): client.answerArrived(bytes, range)
            case .violation:
                isBroken = true
                break reading
            case .end:
                ended = true
                break reading
            }
        }
        if case .closed = phase { return false }
        phase = .body(decoder)
        input.moveReaderIndex(forwardBy: position)
        if isBroken {
            broken()
            return false
        }
        guard ended else {
            // Not while it is paused, or the request on its way: what a slow client takes its time for is not the
            // server's doing.
            if isReading, requestIsOut { setDeadline(worker.now() &+ pool.idleTimeout) }
            return false
        }
        answerEnded(trailers: decoder.trailerSection)
        return true
    }

    private func answerEnded(trailers: [UInt8]) {
        guard let client else { return }
        pool.counters.answers += 1
        let now = worker.now()
        let reuses = client.answerCompleted(
            serverKeepsAlive: keepsAlive && input.readableBytes == 0,
            trailers: trailers,
            at: now
        )
        // Telling the client may have shown that it is gone, and this connection with it.
        if case .closed = phase { return }
        self.client = nil
        wasUsedBefore = true
        if reuses {
            phase = .idle
            pool.release(self, at: now)
        } else {
            finish()
            close()
        }
        client.proceed()
    }
}
