/// The least rate of bodies, which keeps slow clients from holding a server's places.
extension ClientExchange {
    /// Bytes a second; 0 for none.
    private var leastBodyRate: Int { record.tenant?.tenant.limits.bodyRate ?? 0 }

    /// The request's head is with a server, and its body follows.
    final func beginBodyRate() { requestRate = BodyRateMeter(rate: leastBodyRate) }

    /// All of the request's body that has come is passed on.
    ///
    /// - Parameter received: What ``bodyBytesReceived`` was before. Without a byte more, the deadline stays as it is.
    final func bodyAwaited(since received: Int) {
        guard bodyBytesReceived > received || !requestRate.hasBegun else { return }
        // Sending on does not excuse a client that takes nothing of an answer.
        if isWritable { updateBodyDeadline() }
    }

    /// The client is late with its body when nothing of it comes for the idle timeout, or too little on average. Not
    /// while the server takes no more, nor before the server has said 100 to a client that waits for it; and once the
    /// answer has begun only the idle timeout holds, because both sides may talk in turn for as long as they like.
    final func updateBodyDeadline() {
        let now = worker.now()
        let isWaiting = exchange.awaitsAnswer && !exchange.awaitsContinue && server?.isWritable != false
        requestRate.update(isWaiting: isWaiting, bytes: bodyBytesReceived, at: now)
        setDeadline(at: min(now &+ worker.idleTimeout, requestRate.deadline))
    }

    /// The server's 100 was passed on: now it is the client's turn.
    final func continuePassedOn() {
        exchange.continuePassedOn()
        if case .body = phase { updateBodyDeadline() }
    }

    // MARK: The answer

    /// The client takes no more of the answer for now.
    final func answerIsHeldUp() {
        guard exchange.answerHasBegun else { return setDeadline(worker.idleTimeout) }
        if responseRateOwner != record.startedAt {
            responseRateOwner = record.startedAt
            responseRate = BodyRateMeter(rate: leastBodyRate)
        }
        guard !responseRate.isWaiting else { return }
        let now = worker.now()
        responseRate.update(isWaiting: true, bytes: answerBytesTaken, at: now)
        setDeadline(at: min(now &+ worker.idleTimeout, responseRate.deadline))
    }

    /// The client takes more of the answer again.
    final func answerFlowsAgain() {
        guard responseRateOwner == record.startedAt, responseRate.isWaiting else { return }
        responseRate.update(isWaiting: false, bytes: answerBytesTaken, at: worker.now())
    }

    /// The deadline is met: gives whether the client has taken some of the answer since the last, and enough on average.
    /// If so, there is another deadline.
    final func takesAnswer() -> Bool {
        guard exchange.answerHasBegun, !isWritable, responseRateOwner == record.startedAt, responseRate.isWaiting else {
            return false
        }
        let now = worker.now()
        let before = responseRate.bytes
        responseRate.update(isWaiting: true, bytes: answerBytesTaken, at: now)
        guard responseRate.bytes > before, responseRate.deadline > now else { return false }
        setDeadline(at: min(now &+ worker.idleTimeout, responseRate.deadline))
        return true
    }
}
