package import Authorization
package import Counting
import HTTPCore
package import SharedState
import Tenants
package import Time
package import Upstream

/// The spans of one request, if it is traced; touched on its loop. They contain nothing of a token, a cookie, a query
/// or a body.
package final class RequestTrace {
    /// Bytes of a path that are kept.
    private static let mostPathBytes = 1024
    /// Spans of one request that are kept.
    private static let mostSpans = 32

    package let traceHigh: UInt64
    package let traceLow: UInt64
    private let method: String
    /// The server's span first.
    private var spans: [TraceSpan]
    private var decision: Int?
    private var refresh: Int?
    private var endpoint: Int?
    private var backend: Int?
    private var tries = 0
    /// Source of the span identifiers.
    private var seed: UInt64
    /// The outcome with which the request was forwarded.
    private var outcomeSent: Outcome?
    /// The steps that the decision waited for.
    private var waits: [String] = []

    /// - Parameters:
    ///   - parent: Nil if the trace begins here.
    ///   - traceLow: The low half of the trace identifier, for a trace that begins here.
    init(
        _ parent: TraceParent?,
        traceLow: UInt64,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        at start: MonotonicTime,
        _ identifiers: inout IdentifierGenerator
    ) {
        traceHigh = parent?.traceHigh ?? identifiers.next()
        self.traceLow = parent?.traceLow ?? traceLow
        // Unknown methods share one name (OpenTelemetry semantic conventions for HTTP).
        let counted = CountedMethod(bytes, head.method)
        method = counted == .other ? "HTTP" : counted.label
        var server = TraceSpan(
            name: method,
            kind: .server,
            id: identifiers.next() | 1,
            parent: parent?.spanID ?? 0,
            start: start.nanoseconds
        )
        server.set("http.request.method", counted == .other ? "_OTHER" : method)
        if let path = Self.path(head, bytes) { server.set("url.path", path) }
        spans = [server]
        seed = identifiers.next()
        decision = begin("decide", .internal, at: start)
    }

    /// The target without its query, which may hold secrets. Nil for a target that is not a path.
    private static func path(_ head: RequestHead, _ bytes: Span<UInt8>) -> String? {
        let target = head.target
        guard !target.isEmpty, bytes[target.lowerBound] == UInt8(ascii: "/") else { return nil }
        var end = target.lowerBound
        while end < target.upperBound, end - target.lowerBound < mostPathBytes, bytes[end] != UInt8(ascii: "?") {
            end += 1
        }
        return String(decoding: bytes.copy(target.lowerBound..<end), as: UTF8.self)
    }

    private func begin(_ name: String, _ kind: TraceSpan.Kind, at now: MonotonicTime) -> Int? {
        guard spans.count < Self.mostSpans else { return nil }
        spans.append(TraceSpan(name: name, kind: kind, id: spanID(), parent: spans[0].id, start: now.nanoseconds))
        return spans.count - 1
    }

    /// A new span identifier by SplitMix64 (Steele, Lea and Flood 2014); never 0, which means none.
    private func spanID() -> UInt64 {
        seed &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (seed ^ seed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return (mixed ^ mixed >> 31) | 1
    }

    private func end(_ index: inout Int?, at now: MonotonicTime) {
        guard let ended = index else { return }
        spans[ended].end = now.nanoseconds
        index = nil
    }

    // MARK: The decision

    func waits(for step: SlowStep) {
        switch step {
        case .signature: waits.append("signature")
        case .keys: waits.append("keys")
        case .introspection: waits.append("introspection")
        case .proof: waits.append("proof")
        case .refresh: waits.append("refresh")
        }
    }

    private func endDecision(_ outcome: Outcome, at now: MonotonicTime) {
        guard let index = decision else { return }
        spans[index].set("gatehouse.outcome", outcome.label)
        if !waits.isEmpty { spans[index].set("gatehouse.waited_for", .list(waits)) }
        waits = []
        end(&decision, at: now)
    }

    // MARK: Endpoint and backend

    /// An endpoint serves the request, or checks it before the backend gets it.
    package func served(by name: String, at now: MonotonicTime) {
        endDecision(.anonymous, at: now)
        endpoint = begin("endpoint", .internal, at: now)
        if let index = endpoint { spans[index].set("gatehouse.endpoint", name) }
    }

    /// The request is sent to the backend.
    ///
    /// - Returns: The identifier of the backend's span, which the backend gets as its parent.
    package func sent(_ outcome: Outcome, at now: MonotonicTime) -> UInt64 {
        end(&endpoint, at: now)
        endDecision(outcome, at: now)
        outcomeSent = outcome
        backend = begin(method, .client, at: now)
        tries = 0
        guard let index = backend else { return spanID() }
        spans[index].set("http.request.method", spans[0].attributes[0].value)
        return spans[index].id
    }

    /// A server was found for the request.
    func took(_ server: ServerPool?) {
        guard let index = backend, let server = server?.server else { return }
        if tries > 0 {
            spans[index].attributes.removeAll { attribute in
                ["server.address", "server.port", "http.request.resend_count"].contains(attribute.name.description)
            }
            spans[index].set("http.request.resend_count", .number(tries))
        }
        tries += 1
        spans[index].set("server.address", server.address.host)
        spans[index].set("server.port", .number(server.address.port))
    }

    /// A server could not be reached, or was lost before it responded; another may be tried.
    package func lost(_ server: ServerPool?, _ name: StaticString, at now: MonotonicTime) {
        guard let index = backend else { return }
        let attributes = server.map { [TraceSpan.Attribute("server.address", .text("\($0.server.address)"))] } ?? []
        spans[index].events.append(TraceSpan.Event(name: name, time: now.nanoseconds, attributes: attributes))
    }

    // MARK: Refreshing

    package func refreshes(_ trigger: RefreshRequest.Trigger, at now: MonotonicTime) {
        if case .unauthorized = trigger, let index = backend {
            spans[index].set("http.response.status_code", .number(401))
            end(&backend, at: now)
        }
        refresh = begin("refresh", .internal, at: now)
        guard let index = refresh else { return }
        spans[index].set("gatehouse.refresh.trigger", trigger.label)
    }

    package func refreshed(_ outcome: RefreshOutcome, at now: MonotonicTime) {
        guard let index = refresh else { return }
        switch outcome {
        case .renewed(_, let isShared):
            spans[index].set("gatehouse.refresh.outcome", "renewed")
            spans[index].set("gatehouse.refresh.shared", .truth(isShared))
        case .refused(let trouble):
            spans[index].set("gatehouse.refresh.outcome", "refused")
            spans[index].fail(trouble.rawValue)
        case .unavailable(let trouble):
            spans[index].set("gatehouse.refresh.outcome", "unavailable")
            spans[index].fail(trouble.rawValue)
        }
        end(&refresh, at: now)
    }

    // MARK: The end

    /// - Parameters:
    ///   - unixStart: When the request came, in Unix nanoseconds.
    package func finished(_ record: ExchangeRecord, _ peer: Peer, at end: MonotonicTime, unixStart: UInt64)
        -> FinishedTrace
    {
        endDecision(record.outcome, at: end)
        endBackend(record, at: end)
        describe(record, peer)
        let start = spans[0].start
        func unix(_ time: UInt64) -> UInt64 { unixStart &+ (time &- start) }
        for index in spans.indices {
            spans[index].start = unix(spans[index].start)
            spans[index].end = spans[index].end == 0 ? unix(max(end.nanoseconds, start)) : unix(spans[index].end)
            for event in spans[index].events.indices {
                spans[index].events[event].time = unix(spans[index].events[event].time)
            }
        }
        return FinishedTrace(traceHigh: traceHigh, traceLow: traceLow, spans: spans)
    }

    private func endBackend(_ record: ExchangeRecord, at now: MonotonicTime) {
        guard let index = backend else { return }
        if case .refused(let code) = record.outcome, record.outcome != outcomeSent {
            spans[index].fail(code.rawValue)
        } else if record.response.status == 499 {
            spans[index].fail("cancelled")
        } else {
            spans[index].set("http.response.status_code", .number(record.response.status))
            // For a client's span 4xx are errors too (OpenTelemetry semantic conventions for HTTP).
            if record.response.status >= 400 { spans[index].fail("\(record.response.status)") }
        }
        end(&backend, at: now)
    }

    private func describe(_ record: ExchangeRecord, _ peer: Peer) {
        spans[0].set("http.response.status_code", .number(record.response.status))
        spans[0].set("url.scheme", "\(peer.scheme)")
        spans[0].set("network.protocol.name", "http")
        spans[0].set("network.protocol.version", "\(record.request.version.received)")
        spans[0].set("client.address", String(decoding: record.client.address ?? peer.text, as: UTF8.self))
        if let tenant = record.tenant { spans[0].set("gatehouse.tenant", tenant.tenant.name) }
        spans[0].set("gatehouse.outcome", record.outcome.label)
        spans[0].set("gatehouse.request_id", record.id.text)
        if record.response.status >= 500 {
            if case .refused(let code) = record.outcome {
                spans[0].fail(code.rawValue)
            } else {
                spans[0].fail("\(record.response.status)")
            }
        }
    }
}

extension RefreshRequest.Trigger {
    fileprivate var label: String {
        switch self {
        case .unauthorized: "unauthorized"
        case .expired: "expired"
        case .ahead: "ahead"
        }
    }
}
