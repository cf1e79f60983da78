"""An OTLP/HTTP collector. It prints its port, then each span that it is sent as a line of JSON, and serves until its
standard input ends.

Usage: collector.py [REFUSALS]

The first REFUSALS messages are answered 503, for a line `refused` each.
"""

import base64
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest, ExportTraceServiceResponse)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

refusals = int(sys.argv[1]) if len(sys.argv) > 1 else 0


def value(any_value):
    kind = any_value.WhichOneof("value")
    if kind == "array_value":
        return [value(element) for element in any_value.array_value.values]
    return getattr(any_value, kind)


def attributes(pairs):
    return {pair.key: value(pair.value) for pair in pairs}


def with_bytes(value):
    """OTLP's JSON has identifiers in hexadecimal, where that of Protocol Buffers has base64."""
    if isinstance(value, list):
        return [with_bytes(element) for element in value]
    if not isinstance(value, dict):
        return value
    return {
        name: base64.b64encode(bytes.fromhex(below)).decode() if name in ("traceId", "spanId", "parentSpanId")
        else with_bytes(below)
        for name, below in value.items()
    }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        global refusals
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if refusals > 0:
            refusals -= 1
            print("refused", flush=True)
            return self.answer(503, b"")
        if self.path != "/v1/traces" or self.headers["Content-Type"] != "application/json":
            print(f"not OTLP: {self.path} {self.headers['Content-Type']}", flush=True)
            return self.answer(400, b"")
        try:
            # Refuses fields that OTLP does not have.
            message = json_format.ParseDict(with_bytes(json.loads(body)), ExportTraceServiceRequest())
        except (ValueError, json_format.ParseError) as error:
            print(f"not OTLP: {error}", flush=True)
            return self.answer(400, b"")
        for resource_spans in message.resource_spans:
            for scope_spans in resource_spans.scope_spans:
                for span in scope_spans.spans:
                    self.tell(span, scope_spans.scope.name, attributes(resource_spans.resource.attributes))
        self.answer(200, json_format.MessageToJson(ExportTraceServiceResponse()).encode())

    def tell(self, span, scope, resource):
        print(json.dumps({
            "trace": span.trace_id.hex(), "span": span.span_id.hex(), "parent": span.parent_span_id.hex(),
            "name": span.name, "kind": Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_").lower(),
            "start": span.start_time_unix_nano / 1e9, "end": span.end_time_unix_nano / 1e9,
            "is_error": span.status.code == Status.STATUS_CODE_ERROR,
            "attributes": attributes(span.attributes),
            "events": [{"name": event.name, "attributes": attributes(event.attributes)} for event in span.events],
            "scope": scope, "resource": resource,
        }), flush=True)

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
