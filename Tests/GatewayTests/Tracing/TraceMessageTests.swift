import Testing
import Verification

@testable import Gateway
@testable import Proxy

/// OTLP 1.x, "JSON Protobuf Encoding".
struct TraceMessageTests {
    @Test func numbersAndIdentifiersFollowOTLP() throws {
        var first = TraceSpan(name: "G\"ET", kind: .server, id: 0x0102, parent: 0, start: .max)
        first.end = 1_544_712_661_000_000_000
        first.set("n", .number(-5))
        first.set("t", .truth(true))
        first.set("l", .list(["a", "b"]))
        first.fail("500")
        var second = TraceSpan(name: "decide", kind: .internal, id: 3, parent: 0x0102, start: 7)
        second.events = [TraceSpan.Event(name: "e", time: 8, attributes: [TraceSpan.Attribute("k", .text("v"))])]
        let message = TraceMessage(resource: [TraceSpan.Attribute("service.name", .text("gatehouse"))])
        let bytes = message.bytes([FinishedTrace(traceHigh: 0xabc, traceLow: 1, spans: [first, second])])
        let name: JSONValue = ["key": "service.name", "value": ["stringValue": "gatehouse"]]
        let server: JSONValue = [
            "traceId": "0000000000000abc0000000000000001", "spanId": "0000000000000102", "name": "G\"ET", "kind": 2,
            "startTimeUnixNano": "18446744073709551615", "endTimeUnixNano": "1544712661000000000",
            "attributes": [
                ["key": "n", "value": ["intValue": "-5"]], ["key": "t", "value": ["boolValue": true]],
                [
                    "key": "l",
                    "value": ["arrayValue": ["values": [["stringValue": "a"], ["stringValue": "b"]]]],
                ],
                ["key": "error.type", "value": ["stringValue": "500"]],
            ],
            "status": ["code": 2],
        ]
        let below: JSONValue = [
            "traceId": "0000000000000abc0000000000000001", "spanId": "0000000000000003", "name": "decide", "kind": 1,
            "startTimeUnixNano": "7", "endTimeUnixNano": "0", "attributes": [], "parentSpanId": "0000000000000102",
            "events": [
                [
                    "timeUnixNano": "8", "name": "e",
                    "attributes": [["key": "k", "value": ["stringValue": "v"]]],
                ]
            ],
        ]
        let scope: JSONValue = ["scope": ["name": "gatehouse"], "spans": [server, below]]
        let expected: JSONValue = [
            "resourceSpans": [["resource": ["attributes": [name]], "scopeSpans": [scope]]]
        ]
        #expect(try JSONParser.parse(bytes) == expected)
    }
}
