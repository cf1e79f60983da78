import Proxy
import Verification

/// The OTLP form of traces: `ExportTraceServiceRequest` of opentelemetry-proto 1.x in its JSON encoding, with identifiers
/// in hexadecimal, enumerations as numbers and 64-bit numbers as text.
struct TraceMessage {
    static let contentType = "application/json"

    /// The attributes of the process, in every message.
    let resource: [TraceSpan.Attribute]

    func bytes(_ traces: [FinishedTrace]) -> [UInt8] {
        let spans = traces.flatMap { trace in trace.spans.map { JSONValue.object(json($0, trace)) } }
        let message: JSONObject = [
            "resourceSpans": [
                [
                    "resource": ["attributes": json(resource)],
                    "scopeSpans": [["scope": ["name": "gatehouse"], "spans": .array(spans)]],
                ]
            ]
        ]
        return JSONWriter.bytes(of: message)
    }

    private func json(_ span: TraceSpan, _ trace: FinishedTrace) -> JSONObject {
        var object: JSONObject = [
            "traceId": .string(Hexadecimal.text(trace.traceHigh) + Hexadecimal.text(trace.traceLow)),
            "spanId": .string(Hexadecimal.text(span.id)),
            "name": .string(span.name),
            "kind": .number(JSONNumber(span.kind.rawValue)),
            "startTimeUnixNano": .string("\(span.start)"),
            "endTimeUnixNano": .string("\(span.end)"),
            "attributes": json(span.attributes),
        ]
        if span.parent != 0 { object["parentSpanId"] = .string(Hexadecimal.text(span.parent)) }
        if !span.events.isEmpty {
            let events = span.events.map { event -> JSONValue in
                [
                    "timeUnixNano": .string("\(event.time)"), "name": .string(event.name.description),
                    "attributes": json(event.attributes),
                ]
            }
            object["events"] = .array(events)
        }
        // STATUS_CODE_ERROR; what went well is left unset, as instrumentation is to do.
        if span.isError { object["status"] = ["code": 2] }
        return object
    }

    private func json(_ attributes: [TraceSpan.Attribute]) -> JSONValue {
        .array(attributes.map { ["key": .string($0.name.description), "value": json($0.value)] })
    }

    private func json(_ value: TraceSpan.Value) -> JSONValue {
        switch value {
        case .text(let text): ["stringValue": .string(text)]
        case .truth(let isTrue): ["boolValue": .bool(isTrue)]
        case .number(let number): ["intValue": .string("\(number)")]
        case .list(let texts): ["arrayValue": ["values": .array(texts.map { ["stringValue": .string($0)] })]]
        }
    }
}
