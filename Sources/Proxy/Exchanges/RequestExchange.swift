import Authorization
import Counting
import HTTPCore
import NIOCore
import SharedState
import Tenants
import Time
import Upstream

/// One request of a client and its response, whatever protocols the two sides speak. It feeds events to the
/// ``RequestLifecycle`` and performs the actions that this returns, with the ``ClientSide`` above it and the
/// ``UpstreamRequest`` below.
///
/// This file has its beginning and its ends; `+Deciding` the way to a grant, `+Forwarding` the way to a server, `+Body`
/// the request's body, `+Response` the response, `+Holds` what a response waits for, and the others one feature each. A
/// client's connection reuses the object for each of its requests.
final class RequestExchange {
    let worker: Worker
    let upstream: UpstreamRequest
    /// From the first request to ``detach()``.
    private(set) var client: (any ClientSide)?
    /// Increases with each request, so that a late outcome does not reach the next one. Not the request's identifier: a
    /// trusted proxy may send the same one twice.
    private(set) var id: UInt64 = 0
    /// Events of the client and the server reach it through ``advance(_:)``.
    private(set) var lifecycle = RequestLifecycle()
    var record = ExchangeRecord()
    /// The decision's input, and what its slow steps found out.
    let decisionContext: DecisionContext
    var style = ResponseStyle()
    var rates = BodyRates()
    /// Until the body is whole; nil for a request that is not copied.
    var mirror: MirrorCopy?
    /// Due after the response, for a token that expires soon.
    var dueRefresh: RefreshRequest?
    /// When the loop's current work on the request began; `.distantPast` for none.
    var workBeganAt = MonotonicTime.distantPast

    init(worker: Worker) {
        self.worker = worker
        upstream = UpstreamRequest(loop: worker.loop)
        decisionContext = DecisionContext(shownCertificates: worker)
    }

    var peer: Peer? { decisionContext.peer }

    /// The request's tenant; nil if none was found.
    var tenant: ServedTenant? { record.tenant }

    // MARK: Begins

    /// A whole head was received.
    ///
    /// - Parameters:
    ///   - request: Belongs to this exchange from now on.
    ///   - version: The client's protocol.
    func begin(_ request: ReceivedRequest, version: HTTPVersion, for client: any ClientSide) {
        let buffer = request.bytes
        let bytes = buffer.readableBytesUInt8Span
        let head = request.head
        start(for: client, version)
        record.id = requestID(head, bytes)
        record.request.method = CountedMethod(bytes, head.method)
        workBeganAt = record.startedAt
        if let tracing = worker.tracing { beginTrace(tracing, head, bytes) }
        guard
            advance({
                $0.headReceived(head.framing, keepsAlive: head.keepsAlive, expectsContinue: head.expectsContinue)
            }) != nil
        else { return worker.loop.spares.requests.giveBack(request) }
        if isDecisionQuery(request, bytes) { return worker.loop.spares.requests.giveBack(request) }
        // Not before: a proxy that asks reads the HTTP status as the decision.
        if version == .http2, record.request.method == .post {
            record.request.isGRPC = GRPCStatus.isRequest(head, bytes)
        }
        decide(request, bytes, at: worker.unixTime(at: record.startedAt))
    }

    /// The head could not be read to its end, or came too late.
    ///
    /// - Parameter isGRPC: Whether to refuse in the form of gRPC.
    func refuseUnread(_ refusal: Refusal, version: HTTPVersion, isGRPC: Bool = false, for client: any ClientSide) {
        start(for: client, version)
        record.id = worker.loop.identifiers.requestID()
        record.request.isGRPC = isGRPC
        guard
            advance({ $0.headReceived(.none, keepsAlive: version == .http2, expectsContinue: false) }) != nil
        else { return }
        refuse(refusal, closing: true)
    }

    /// A request that is malformed in a way that has no response (RFC 9113 section 8.1.1).
    func countMalformed(version: HTTPVersion, for client: any ClientSide) {
        start(for: client, version)
        record.id = worker.loop.identifiers.requestID()
        endMalformed()
    }

    /// The request turns out to be malformed in a way that has no response.
    func endMalformed() {
        record.outcome = .refused(.badRequest)
        record.isObserved = false
        end(status: 400)
    }

    private func start(for client: any ClientSide, _ version: HTTPVersion) {
        id &+= 1
        self.client = client
        lifecycle = RequestLifecycle()
        record = ExchangeRecord(startedAt: worker.now(), id: RequestID(high: 0, low: 0))
        record.request.version = version
        decisionContext.begin(client.peer, client.tokenMemory)
        style = ResponseStyle(version: version)
        rates = BodyRates()
    }

    // MARK: Events

    /// The only way to the lifecycle: an impossible event ends the exchange at once.
    ///
    /// Inlined, as is the closure: it costs only the comparison that is needed anyway.
    ///
    /// - Returns: What the event leads to; nil if it was impossible and the exchange is over.
    @inline(__always)
    func advance<Outcome>(_ event: (inout RequestLifecycle) -> Outcome) -> Outcome? {
        let outcome = event(&lifecycle)
        guard lifecycle.mistake == nil else {
            endBroken()
            return nil
        }
        return outcome
    }

    /// The same for an event whose result is optional.
    @inline(__always)
    func advance<Outcome>(_ event: (inout RequestLifecycle) -> Outcome?) -> Outcome? {
        let outcome = event(&lifecycle)
        guard lifecycle.mistake == nil else {
            endBroken()
            return nil
        }
        return outcome
    }

    // MARK: Ends

    /// The request is over, for whatever reason: releases everything under way for it.
    ///
    /// - Parameter status: For the record.
    func end(status: Int) {
        let tunnel = lifecycle.tunnel
        upstream.abandon()
        lifecycle.end()
        finishRecord(status: status, at: worker.now())
        tunnel?.clientGone()
        release()
    }

    /// Clears all state, so that nothing of the request reaches the next one.
    func release() {
        dueRefresh = nil
        if mirror != nil { mirror = nil }
        style = ResponseStyle()
    }

    /// The client's side is gone for good. Until then the two reference each other.
    func detach() { client = nil }

    /// The response is out, or there will be none: writes the record to log and metrics.
    func finishRecord(status: Int, at now: MonotonicTime) {
        endWork(at: now)
        id &+= 1
        record.response.status = status
        if let peer { worker.finished(&record, peer: peer, at: now) }
    }

    /// The client is gone.
    func clientGone() {
        let isResponding = !lifecycle.awaitsResponse
        let loss = lifecycle.clientLost()
        if let callers = loss.signsOut, let tenant { endSessions(of: callers, tenant) }
        loss.tunnel?.clientGone()
        upstream.abandon()
        if isResponding { refreshAhead() }
        // nginx's 499: no response went out that could be counted instead.
        if loss.wasUnderWay { finishRecord(status: isResponding ? record.response.status : 499, at: worker.now()) }
        release()
    }

    /// Ends a response under way so that the client cannot mistake it for complete.
    func cut() {
        upstream.abandon()
        lifecycle.end()
        finishRecord(status: record.response.status, at: worker.now())
        client?.flush()
        client?.cut()
        release()
    }

    /// An impossible event came.
    private func endBroken() {
        if let mistake = lifecycle.mistake { failInternally(mistake) }
    }

    /// Something impossible happened: it is counted, and the connection ends.
    func failInternally(_ mistake: StaticString) {
        worker.loop.failedInternally(.request, mistake)
        let client = client
        end(status: record.response.status == 0 ? 500 : record.response.status)
        client?.retireConnection()
        client?.closeNow()
    }

    // MARK: Work of the loop

    /// The work that began at ``workBeganAt`` is done.
    func endWork(at now: MonotonicTime) {
        guard workBeganAt != .distantPast else { return }
        if now > workBeganAt + LoopContext.longestTurn { worker.loop.noteStall(now - workBeganAt) }
        workBeganAt = .distantPast
    }

    /// - Parameter timeout: Nanoseconds from now; nil for none.
    func setDeadline(_ timeout: UInt64?) {
        client?.setDeadline(timeout.map { worker.now() + $0 } ?? WheelTimer.never)
    }

    /// A trusted proxy's identifier is kept, so that the request has one identifier in all logs.
    private func requestID(_ head: RequestHead, _ bytes: Span<UInt8>) -> RequestID {
        if peer?.isTrustedProxy == true {
            for index in 0..<head.fieldCount where head.fields[index].known == .xRequestID {
                if let id = RequestID(bytes.extracting(head.fields[index].value)) { return id }
            }
        }
        return worker.loop.identifiers.requestID()
    }
}
