/// One step of a request, in OpenTelemetry's model.
package struct TraceSpan: Sendable {
    /// The numbers are OTLP's.
    package enum Kind: Int, Sendable {
        case `internal` = 1
        case server = 2
        case client = 3
    }

    package enum Value: Sendable, Equatable {
        case text(String)
        case number(Int)
        case truth(Bool)
        case list([String])
    }

    package struct Attribute: Sendable, Equatable {
        package var name: StaticString
        package var value: Value

        package init(_ name: StaticString, _ value: Value) {
            self.name = name
            self.value = value
        }

        package static func == (left: Attribute, right: Attribute) -> Bool {
            left.name.description == right.name.description && left.value == right.value
        }
    }

    package struct Event: Sendable {
        package var name: StaticString
        package var time: UInt64
        package var attributes: [Attribute]
    }

    package var name: String
    package var kind: Kind
    package var id: UInt64
    /// 0 for the first of a trace.
    package var parent: UInt64
    /// Nanoseconds: monotonic while the request is under way, Unix time in a ``FinishedTrace``.
    package var start: UInt64
    /// 0 until it is over.
    package var end: UInt64 = 0
    package var attributes: [Attribute] = []
    package var events: [Event] = []
    package var isError = false

    package mutating func set(_ name: StaticString, _ value: Value) { attributes.append(Attribute(name, value)) }

    package mutating func set(_ name: StaticString, _ text: String) { set(name, .text(text)) }

    package mutating func fail(_ type: String) {
        isError = true
        set("error.type", .text(type))
    }
}

/// The spans of one finished request.
package struct FinishedTrace: Sendable {
    package var traceHigh: UInt64
    package var traceLow: UInt64
    /// The server's first.
    package var spans: [TraceSpan]
}
