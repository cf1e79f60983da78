import HTTPCore
import NIOCore
import Tenants

/// Keeping the refresh tokens that a backend gives to clients (`refresh.vault`).
extension ClientExchange {
    /// Looks whether the answer may hold tokens.
    final func prepareCapture(_ routed: RoutedRequest, _ bytes: Span<UInt8>) {
        guard let refreshing = routed.tenant.refreshing else { return }
        var rule: TokenCapture?
        _ = worker.serving.router.inAnyReading(routed, bytes) { path in
            rule = refreshing.capture(path)
            return rule != nil
        }
        capture = rule.map { TokenCaptureBuffer($0) }
    }

    /// Of the answers on the path only some can hold tokens: successes with JSON that can be read.
    final func lookAtCaptured(_ head: ResponseHead, _ bytes: Span<UInt8>) {
        var isJSON = false
        for field in head.fields[0..<head.fieldCount] {
            if bytes.isFieldName(field.name, "content-type") {
                let type = bytes.copy(field.value).map(\.asciiLowercased).prefix { $0 != UInt8(ascii: ";") }
                isJSON = String(decoding: type, as: UTF8.self).contains("json")
            } else if bytes.isFieldName(field.name, "content-encoding") {
                return dropCapture()
            }
        }
        if !isJSON || !(200..<300 ~= head.status) { dropCapture() }
    }

    /// Gives up what was held back, and its room.
    final func dropCapture() {
        guard let held = capture else { return }
        worker.replayRoom += held.content.readableBytes
        capture = nil
    }

    /// A piece of the answer's body.
    final func answerArrived(_ bytes: ByteBuffer, _ range: Range<Int>) {
        guard capture != nil else { return answerBody(bytes, range) }
        if capture?.take(bytes, range, room: &worker.replayRoom) == true { return }
        passCaptured()
        answerBody(bytes, range)
    }

    /// Whether the end of the answer waits until the tokens in it are stored.
    final func holdsEnd(trailers: [UInt8]) -> Bool {
        guard let capture else { return false }
        guard let tenant = record.tenant, let (access, refresh) = capture.tokens() else {
            passCaptured()
            return false
        }
        let now = worker.unixTime(at: worker.now())
        guard let principal = try? tenant.verifier.verify(access, at: now) else {
            worker.loggers.refresh.warning(
                "a refresh token is not kept: the access token beside it is not one that the tenant accepts",
                metadata: ["tenant": "\(tenant.tenant.name)"]
            )
            passCaptured()
            return false
        }
        self.capture?.heldTrailers = trailers
        let tokens = CapturedTokens(
            tenant: tenant.index,
            accessToken: access,
            principal: principal,
            refreshToken: refresh
        )
        worker.keep(tokens, for: self)
        return true
    }

    /// The tokens are stored, or cannot be: the client gets its answer either way.
    final func captureEnded() {
        guard let trailers = capture?.heldTrailers else { return }
        passCaptured()
        _ = completeAnswer(serverKeepsAlive: false, trailers: trailers, at: worker.now())
        if case .closed = phase { return }
        proceed()
    }

    /// What was held back goes on its way, and nothing more is.
    private func passCaptured() {
        guard let held = capture else { return }
        dropCapture()
        if held.content.readableBytes > 0 { answerBody(held.content, 0..<held.content.readableBytes) }
    }
}

extension Worker {
    /// Has tokens kept; the exchange is told when they are, or cannot be.
    func keep(_ tokens: CapturedTokens, for client: ClientExchange) {
        let bound = NIOLoopBound(client, eventLoop: eventLoop)
        let serial = client.serial
        Task { [eventLoop, controlPlane] in
            _ = await controlPlane.capture(tokens)
            eventLoop.execute {
                if bound.value.serial == serial { bound.value.captureEnded() }
            }
        }
    }
}
