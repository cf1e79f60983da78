import ExtAuthz
import HTTPCore
import NIOCore

/// One question of Envoy's, from the description of a request to the answer, on one loop.
final class ExtAuthzQuestion {
    /// How long an answer may take: longer than the slow steps of a decision do, which have their own limits.
    static let patience = TimeAmount.seconds(10)

    private let worker: Worker
    private let peer: Peer
    private var record: ExchangeRecord
    private var reply: ((CheckReply) -> Void)?
    private var overdue: Scheduled<Void>?

    /// - Parameters:
    ///   - peer: The Envoy that asks.
    ///   - reply: Told once.
    init(_ worker: Worker, _ peer: Peer, reply: @escaping (CheckReply) -> Void) {
        self.worker = worker
        self.peer = peer
        self.reply = reply
        record = ExchangeRecord(startedAt: worker.now(), id: worker.identifiers.requestID())
    }

    func ask(_ request: AskedRequest) {
        guard let head = request.head() else { return refuse(.malformedQuestion) }
        let version: HTTPVersion =
            switch request.version {
            case "HTTP/1.0": .http10
            case "HTTP/2": .http2
            default: .http11
            }
        let circumstances = Circumstances(peer: peer)
        let inquiry = Inquiry(
            worker.allocator.buffer(bytes: head),
            circumstances,
            forwardsAsReceived: true,
            worker: worker
        ) { [self] verdict, bytes in
            // It may be too late.
            if reply != nil { answer(verdict, bytes, version, circumstances.observed) }
        }
        inquiry.begin()
        guard reply != nil else { return }
        let bound = NIOLoopBound(self, eventLoop: worker.eventLoop)
        overdue = worker.eventLoop.scheduleTask(in: Self.patience) { bound.value.refuse(.overloaded) }
    }

    /// - Parameter bytes: Of the head; empty where it is none.
    private func answer(
        _ verdict: Inquiry.Verdict,
        _ bytes: Span<UInt8>,
        _ version: HTTPVersion,
        _ observed: ObservedRefusal?
    ) {
        let answer = ProxyAnswer(verdict)
        record.tenant = answer.tenant
        let head = worker.inquiryHead
        if !bytes.isEmpty {
            record.id = requestID(head, bytes) ?? record.id
            record.note(head, bytes, version)
            worker.logRequest(&record, head, bytes, isBehindProxy: true)
        }
        if case .granted(let grant) = verdict, case .refused(let code) = grant.outcome {
            worker.note(code, observed, grant, record.id, head, bytes)
        }
        switch answer {
        case .refuse(let refusal, _): refuse(refusal)
        case .pass(let pass):
            record.caller = pass.caller
            record.outcome = pass.outcome
            finish(.granted(pass.changes(of: head, bytes)), status: 200)
        case .preflight(let preflight, _):
            record.outcome = .anonymous
            // What Envoy calls denied is only not passed on.
            finish(.denied(status: 204, fields: FieldLines.read(preflight.lines[...]), body: []), status: 204)
        }
    }

    func refuse(_ refusal: Refusal) {
        record.outcome = .refused(refusal.code)
        let (reply, length) = RefusalReply.make(refusal, record.tenant, record.id, date: worker.date)
        record.bodyBytes = length
        finish(reply, status: refusal.status)
    }

    private func finish(_ answer: CheckReply, status: Int) {
        guard let reply else { return }
        self.reply = nil
        overdue?.cancel()
        record.status = status
        worker.finished(&record, peer: peer, at: worker.now())
        reply(answer)
    }

    /// The identifier that Envoy gave the request, so that it has one in all logs.
    private func requestID(_ head: RequestHead, _ bytes: Span<UInt8>) -> RequestID? {
        for index in 0..<head.fieldCount where head.fields[index].known == .xRequestID {
            if let id = RequestID(bytes.extracting(head.fields[index].value)) { return id }
        }
        return nil
    }
}

/// A refusal in the form that Envoy takes: the answer that a client of ours would get, in parts.
private enum RefusalReply {
    /// Fields that Envoy writes itself.
    private static let envoysOwn = ["date", "content-length", "connection"].map { Array($0.utf8) }

    /// - Returns: With the length of the body.
    static func make(_ refusal: Refusal, _ tenant: TenantRuntime?, _ id: RequestID, date: [UInt8]) -> (CheckReply, Int)
    {
        let exchange = RefusalWriter.Exchange(
            realm: tenant?.tenant.name,
            proofs: tenant?.proving?.challenge,
            requestID: id,
            isHead: false,
            minorVersion: 1,
            closes: false,
            date: date
        )
        var answer = ByteBuffer()
        let length = RefusalWriter.write(refusal, exchange, to: &answer)
        let bytes = Array(answer.readableBytesView)
        let statusLine = bytes.firstIndex(of: 0x0a).map { $0 + 1 } ?? 0
        let fields = FieldLines.read(bytes[statusLine..<(bytes.count - length)]).filter { field in
            !envoysOwn.contains { $0.elementsEqual(field.name.lazy.map(\.asciiLowercased)) }
        }
        return (.denied(status: refusal.status, fields: fields, body: Array(bytes.suffix(length))), length)
    }
}
