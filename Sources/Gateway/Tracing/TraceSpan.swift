/// One step of a request's way, as OpenTelemetry has it.
struct TraceSpan: Sendable {
    /// The numbers are OTLP's.
    enum Kind: UInt64, Sendable {
        case `internal` = 1
        case server = 2
        case client = 3
    }

    enum Value: Sendable, Equatable {
        case text(String)
        case number(Int)
        case truth(Bool)
        case list([String])
    }

    struct Attribute: Sendable, Equatable {
        var name: StaticString
        var value: Value

        init(_ name: StaticString, _ value: Value) {
            self.name = name
            self.value = value
        }

        static func == (left: Attribute, right: Attribute) -> Bool {
            left.name.description == right.name.description && left.value == right.value
        }
    }

    struct Event: Sendable {
        var name: StaticString
        var time: UInt64
        var attributes: [Attribute]
    }

    var name: String
    var kind: Kind
    var id: UInt64
    /// 0 for the first of a trace.
    var parent: UInt64
    /// Nanoseconds: monotonic while the request is under way, Unix time in a ``FinishedTrace``.
    var start: UInt64
    /// 0 until it is over.
    var end: UInt64 = 0
    var attributes: [Attribute] = []
    var events: [Event] = []
    var isError = false

    mutating func set(_ name: StaticString, _ value: Value) { attributes.append(Attribute(name, value)) }

    mutating func set(_ name: StaticString, _ text: String) { set(name, .text(text)) }

    mutating func fail(_ type: String) {
        isError = true
        set("error.type", .text(type))
    }
}

/// The spans of one request that is over.
struct FinishedTrace: Sendable {
    var traceHigh: UInt64
    var traceLow: UInt64
    /// The server's first.
    var spans: [TraceSpan]
}
