import Proxy

/// Traces as OTLP has them: `ExportTraceServiceRequest` of opentelemetry-proto 1.x, in Protocol Buffers.
struct TraceMessage {
    /// What is said of the process with every message.
    let resource: [TraceSpan.Attribute]

    func bytes(_ traces: [FinishedTrace]) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.message(1) { spansOfResource in
            spansOfResource.message(1) { message in
                for attribute in resource { write(attribute, 1, to: &message) }
            }
            spansOfResource.message(2) { spansOfScope in
                spansOfScope.message(1) { $0.text(1, "gatehouse") }
                for trace in traces {
                    for span in trace.spans { spansOfScope.message(2) { write(span, trace, to: &$0) } }
                }
            }
        }
        return writer.bytes
    }

    private func write(_ span: TraceSpan, _ trace: FinishedTrace, to message: inout ProtobufWriter) {
        message.words(1, trace.traceHigh, trace.traceLow)
        message.words(2, span.id)
        if span.parent != 0 { message.words(4, span.parent) }
        message.text(5, span.name)
        message.number(6, span.kind.rawValue)
        message.fixed64(7, span.start)
        message.fixed64(8, span.end)
        for attribute in span.attributes { write(attribute, 9, to: &message) }
        for event in span.events {
            message.message(11) { below in
                below.fixed64(1, event.time)
                below.text(2, event.name.description)
                for attribute in event.attributes { write(attribute, 3, to: &below) }
            }
        }
        // STATUS_CODE_ERROR; what went well is left unset, as instrumentation is to do.
        if span.isError { message.message(15) { $0.number(3, 2) } }
    }

    private func write(_ attribute: TraceSpan.Attribute, _ field: UInt64, to message: inout ProtobufWriter) {
        message.message(field) { pair in
            pair.text(1, attribute.name.description)
            pair.message(2) { write(attribute.value, to: &$0) }
        }
    }

    private func write(_ value: TraceSpan.Value, to message: inout ProtobufWriter) {
        switch value {
        case .text(let text): message.text(1, text)
        case .truth(let isTrue): message.number(2, isTrue ? 1 : 0)
        case .number(let number): message.number(3, UInt64(bitPattern: Int64(number)))
        case .list(let texts):
            message.message(5) { list in
                for text in texts { list.message(1) { $0.text(1, text) } }
            }
        }
    }
}
