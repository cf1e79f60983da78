import Authorization
import HTTPCore
import NIOCore
import Tenants
import Time
import Upstream

/// The client's input: heads go to the exchange, and bodies through it.
extension HTTP1ServerConnection {
    /// Bytes of following requests that are kept while a response is under way.
    private static let mostPipelined = 64 << 10

    func resume() {
        while !input.isClosed {
            switch state {
            case .open: guard read() else { return }
            case .droppingBody(let allowance):
                guard dropBody(allowance) else { return input.dropIfEmpty() }
            case .closing, .lingering, .closed: return input.clear()
            }
        }
    }

    /// Returns whether there may be more to read.
    private func read() -> Bool {
        switch exchange.lifecycle.state {
        case .receivingHead, .finishing, .done, .broken:
            guard input.count > 0 else {
                input.dropIfEmpty()
                return false
            }
            guard isWritable else { return holdUp() }
            if readHead() { return true }
        case .tunnel:
            if input.count > 0 { exchange.tunnelSent(input.takeAll()) }
            return false
        case .streaming where exchange.takesBody, .holding where exchange.takesBody:
            if readBody() { return true }
        case .deciding, .waitingForServer, .streaming, .holding:
            if input.count > Self.mostPipelined { setReading(false) }
        }
        input.dropIfEmpty()
        return false
    }

    /// No further response is made while the client does not take the previous ones; the head deadline does not apply
    /// meanwhile.
    private func holdUp() -> Bool {
        setReading(false)
        setDeadline(worker.now() + worker.idleTimeout)
        return false
    }

    // MARK: Heads

    /// Returns whether a head was complete, whatever became of it.
    private func readHead() -> Bool {
        guard input.mayHoldHead(most: worker.parser.maximumBytes) else { return false }
        let request = worker.loop.spares.requests.take()
        switch request.parse(input.bytes, worker.parser) {
        case .incomplete:
            worker.loop.spares.requests.giveBack(request)
            if input.searched == 0 { setDeadline(worker.now() + worker.headerTimeout) }
            input.searched = input.count
            return false
        case .refused(let violation):
            worker.loop.spares.requests.giveBack(request)
            exchange.refuseUnread(Refusal(violation), version: .http11, for: self)
            return true
        case .complete:
            input.searched = 0
            input.drop(request.head.length)
            input.decoder = BodyDecoder(request.head.framing)
            setDeadline(WheelTimer.never)
            exchange.begin(request, version: request.head.minorVersion == 0 ? .http10 : .http11, for: self)
            return true
        }
    }

    // MARK: Bodies

    /// Passes on the available part of the body. Returns whether it is complete or no longer wanted.
    private func readBody() -> Bool {
        let bytes = input.bytes
        let receivedBefore = exchange.lifecycle.body.count
        var position = 0
        while true {
            switch input.decoder.next(bytes.readableBytesUInt8Span, from: &position) {
            case .data(let range):
                guard let piece = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) else {
                    continue
                }
                guard exchange.bodyReceived(piece) else { return true }
            case .needMore:
                input.drop(position)
                if !exchange.flushBody(since: receivedBefore) { setReading(false) }
                return false
            case .violation(let violation):
                exchange.bodyViolated(violation)
                return true
            case .end:
                input.drop(position)
                exchange.bodyEnded(trailers: input.decoder.trailerSection)
                return true
            }
        }
    }

    /// Reads and drops the rest of a body whose response is out. Returns whether the next head may follow.
    private func dropBody(_ allowance: Int) -> Bool {
        let bytes = input.bytes
        var position = 0
        while true {
            switch input.decoder.next(bytes.readableBytesUInt8Span, from: &position) {
            case .data: continue
            case .needMore:
                input.drop(position)
                state = .droppingBody(allowance: allowance - position)
                if allowance < position { lingerAndClose() }
                return false
            case .violation:
                lingerAndClose()
                return false
            case .end:
                input.drop(position)
                becomeIdle(at: worker.now())
                return true
            }
        }
    }

    func setReading(_ isReading: Bool) {
        guard isReading != input.isReading else { return }
        input.isReading = isReading
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }
}
