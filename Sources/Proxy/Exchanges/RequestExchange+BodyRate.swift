import Time

/// How a request's body comes, and how the client takes the body of the response.
struct BodyRates {
    var request = BodyRateMeter()
    /// Nil until a response has to wait for the client.
    var response: BodyRateMeter?
}

/// The least rate of bodies, which keeps slow clients from holding a server's places.
extension RequestExchange {
    /// Bytes a second; 0 for none.
    private var leastBodyRate: Int { tenant?.tenant.limits.bodyRate ?? 0 }

    /// The request's head is with a server, and its body follows.
    func beginBodyRate() { rates.request = BodyRateMeter(rate: leastBodyRate) }

    /// The client is late with its body when nothing of it comes for the idle timeout, or too little on average. Not
    /// while the server takes no more, nor before the server has said 100 to a client that waits for it; and once the
    /// response has begun only the idle timeout holds, because both sides may talk in turn for as long as they like.
    func updateBodyDeadline() {
        let now = worker.now()
        let isWaiting =
            lifecycle.awaitsResponse && !lifecycle.body.awaitsContinue && upstream.server?.isWritable != false
        rates.request.update(isWaiting: isWaiting, bytes: lifecycle.body.count, at: now)
        client?.setDeadline(min(now + worker.idleTimeout, rates.request.deadline))
    }

    /// The client takes more of the response again, or no more for now.
    func clientWritabilityChanged(_ isWritable: Bool) {
        if isWritable { responseFlowsAgain() }
        switch lifecycle.state {
        case .streaming, .holding:
            if !isWritable {
                responseIsHeldUp()
            } else if lifecycle.body.isComplete {
                // Before it has begun, an endpoint's response has a deadline of another kind.
                if lifecycle.endpointCall == nil { setDeadline(nil) }
            } else {
                updateBodyDeadline()
            }
        case .deciding: setDeadline(isWritable ? nil : worker.idleTimeout)
        case .receivingHead, .waitingForServer, .tunnel, .finishing, .done, .broken: break
        }
        upstream.server?.setReading(isWritable)
    }

    /// No more of the response is taken from the server until the client takes more.
    func holdServer() { upstream.server?.setReading(false) }

    /// The client takes no more of the response for now.
    func responseIsHeldUp() {
        guard lifecycle.isResponding else { return setDeadline(worker.idleTimeout) }
        var rate = rates.response ?? BodyRateMeter(rate: leastBodyRate)
        guard !rate.isWaiting else { return }
        let now = worker.now()
        rate.update(isWaiting: true, bytes: responseBytesTaken, at: now)
        rates.response = rate
        client?.setDeadline(min(now + worker.idleTimeout, rate.deadline))
    }

    /// The response waits, but not for this client's reading of it.
    func responseIsFree() {
        responseFlowsAgain()
        if takesBody { updateBodyDeadline() } else { setDeadline(nil) }
    }

    /// The client takes more of the response again.
    private func responseFlowsAgain() {
        guard var rate = rates.response, rate.isWaiting else { return }
        rate.update(isWaiting: false, bytes: responseBytesTaken, at: worker.now())
        rates.response = rate
    }

    /// The deadline is met: gives whether the client has taken some of the response since the last, and enough on
    /// average. If so, there is another deadline.
    func clientTakesResponse() -> Bool {
        guard lifecycle.isResponding, !takesResponse, var rate = rates.response, rate.isWaiting else { return false }
        let now = worker.now()
        let before = rate.bytes
        rate.update(isWaiting: true, bytes: responseBytesTaken, at: now)
        rates.response = rate
        guard rate.bytes > before, rate.deadline > now else { return false }
        client?.setDeadline(min(now + worker.idleTimeout, rate.deadline))
        return true
    }

    private var responseBytesTaken: Int { client?.bodyBytesTaken(of: record.response.bodyBytes) ?? 0 }
}
