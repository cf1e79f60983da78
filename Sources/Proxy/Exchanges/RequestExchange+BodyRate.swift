import Time

/// The rates at which the request's body arrives and the client takes the response's body.
struct BodyRates {
    var request = BodyRateMeter()
    /// Nil until a response waits for the client.
    var response: BodyRateMeter?
}

/// The minimum body rate, which keeps slow clients from occupying a server's connections.
extension RequestExchange {
    /// Bytes per second; 0 for none.
    private var leastBodyRate: Int { limits?.bodyRate ?? 0 }

    /// A server has the request's head, and the body follows.
    func beginBodyRate() { rates.request = BodyRateMeter(rate: leastBodyRate) }

    /// The client is late with its body if none of it arrives within the idle timeout, or too little on average. This
    /// does not apply while the server takes no more, nor before the server has sent 100 to a client that waits for it.
    /// Once the response has begun only the idle timeout applies, because both sides may alternate for as long as they
    /// like.
    func updateBodyDeadline() {
        let now = worker.now()
        let isWaiting =
            lifecycle.awaitsResponse && !lifecycle.body.awaitsContinue && upstream.server?.isWritable != false
        rates.request.update(isWaiting: isWaiting, bytes: lifecycle.body.count, at: now)
        client?.setDeadline(min(now + worker.idleTimeout, rates.request.deadline))
    }

    /// The client takes more of the response again, or stops taking it.
    func clientWritabilityChanged(_ isWritable: Bool) {
        if isWritable { responseFlowsAgain() }
        switch lifecycle.state {
        case .streaming, .holding:
            if !isWritable {
                responseIsHeldUp()
            } else if lifecycle.body.isComplete {
                // Before it begins, an endpoint's response has another deadline.
                if lifecycle.endpointCall == nil { setDeadline(nil) }
            } else {
                updateBodyDeadline()
            }
        case .deciding: setDeadline(isWritable ? nil : worker.idleTimeout)
        case .receivingHead, .waitingForServer, .tunnel, .finishing, .done, .broken: break
        }
        upstream.server?.setReading(isWritable)
    }

    /// Stops reading the response from the server until the client takes more.
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

    /// The response waits, but not for the client to read it.
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

    /// The deadline is met. Returns whether the client has taken some of the response since the last one, and enough on
    /// average; then a new deadline is set.
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
