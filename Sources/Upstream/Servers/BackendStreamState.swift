import NIOCore

/// The state of one request to an HTTP/2 server. It knows neither connection, pool nor time. An impossible event
/// returns `false` or nil, and changes nothing.
struct BackendStreamState {
    enum Phase {
        /// Leased, without a request.
        case leased
        /// It has a request, whose head is not sent yet.
        case queued(UpstreamRequest)
        /// The rest of the request, or the response's head, is still to come.
        case awaitingHead(UpstreamRequest, id: UInt32)
        /// A response has begun, and its owner holds it.
        case holding(UpstreamRequest, id: UInt32, HeldResponse)
        case readingBody(UpstreamRequest, id: UInt32)
        case ended
    }

    /// A held response, as far as it was received.
    struct HeldResponse {
        let response: ReceivedResponse
        var pieces: [(bytes: ByteBuffer, flowControlled: Int)] = []
        var end: End
    }

    enum End {
        case open
        /// With its trailers.
        case complete([UInt8])
    }

    private(set) var phase = Phase.leased

    /// The request that holds the lease; nil if none does.
    var request: UpstreamRequest? {
        switch phase {
        case .queued(let request), .awaitingHead(let request, _), .holding(let request, _, _),
            .readingBody(let request, _):
            request
        case .leased, .ended: nil
        }
    }

    /// The stream's identifier; nil before its request has begun, and after its end.
    var id: UInt32? {
        switch phase {
        case .awaitingHead(_, let id), .holding(_, let id, _), .readingBody(_, let id): id
        case .leased, .queued, .ended: nil
        }
    }

    // MARK: The request

    mutating func begin(_ request: UpstreamRequest) -> Bool {
        guard case .leased = phase else { return false }
        phase = .queued(request)
        return true
    }

    /// The stream is open: the head is sent.
    mutating func opened(_ id: UInt32) -> Bool {
        guard case .queued(let request) = phase else { return false }
        phase = .awaitingHead(request, id: id)
        return true
    }

    // MARK: The response

    mutating func held(_ response: ReceivedResponse, isComplete: Bool) -> Bool {
        guard case .awaitingHead(let request, let id) = phase else { return false }
        phase = .holding(request, id: id, HeldResponse(response: response, end: isComplete ? .complete([]) : .open))
        return true
    }

    /// More of a held response arrived. Returns whether one is held.
    mutating func heldGrew(_ bytes: ByteBuffer, flowControlled: Int) -> Bool {
        guard case .holding(let request, let id, var held) = phase else { return false }
        held.pieces.append((bytes, flowControlled))
        phase = .holding(request, id: id, held)
        return true
    }

    /// The end of a held response arrived. Returns whether one is held.
    mutating func heldEnded(trailers: [UInt8]) -> Bool {
        guard case .holding(let request, let id, var held) = phase else { return false }
        held.end = .complete(trailers)
        phase = .holding(request, id: id, held)
        return true
    }

    /// A response goes on to its owner, whether it was held or not.
    mutating func responseStarted() -> Bool {
        switch phase {
        case .awaitingHead(let request, let id), .holding(let request, let id, _):
            phase = .readingBody(request, id: id)
            return true
        case .leased, .queued, .readingBody, .ended: return false
        }
    }

    // MARK: The end

    enum LossAction {
        /// It is over already, or the whole response is here and still to be passed on.
        case nothing
        /// It has no request.
        case end
        case endBeforeHead(UpstreamRequest)
        case endBody(UpstreamRequest)
    }

    /// What to do when the stream is lost. It is still to end.
    var lossAction: LossAction {
        switch phase {
        case .leased: .end
        case .queued(let request), .awaitingHead(let request, _): .endBeforeHead(request)
        case .holding(_, _, let held) where held.isComplete: .nothing
        case .holding(let request, _, _): .endBeforeHead(request)
        case .readingBody(let request, _): .endBody(request)
        case .ended: .nothing
        }
    }

    /// Its request is over. Returns whether it might have had one until now.
    mutating func end() -> Bool {
        if case .ended = phase { return false }
        phase = .ended
        return true
    }
}

extension BackendStreamState.HeldResponse {
    fileprivate var isComplete: Bool {
        if case .complete = end { true } else { false }
    }
}
