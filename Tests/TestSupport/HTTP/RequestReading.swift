@testable package import HTTPCore

/// What a request head parsed to, as a value that outlives the bytes.
package struct RequestReading: Equatable {
    package struct Field: Equatable {
        package var name: [UInt8]
        package var value: [UInt8]

        package init(_ name: [UInt8], _ value: [UInt8]) {
            self.name = name
            self.value = value
        }

        package init(_ name: String, _ value: String) {
            self.init(Array(name.utf8), Array(value.utf8))
        }
    }

    package var method: [UInt8]
    package var target: [UInt8]
    package var minorVersion = 1
    package var fields: [Field] = []
    package var framing = RequestFraming.none
    package var length = 0
    package var host: Int?
    package var connectionNamesFields = false
    package var connectionClose = false
    package var connectionKeepAlive = false
    package var expectsContinue = false
    package var traceparent: Int?

    package init(method: String = "GET", target: String = "/") {
        self.method = Array(method.utf8)
        self.target = Array(target.utf8)
    }

    package init(_ head: RequestHead, _ bytes: [UInt8]) {
        method = Array(bytes[head.method])
        target = Array(bytes[head.target])
        minorVersion = head.minorVersion
        fields = head.fields[..<head.fieldCount].map { Field(Array(bytes[$0.name]), Array(bytes[$0.value])) }
        framing = head.framing
        length = head.length
        host = head.host
        connectionNamesFields = !head.connectionNames.isEmpty
        connectionClose = head.connectionClose
        connectionKeepAlive = head.connectionKeepAlive
        expectsContinue = head.expectsContinue
        traceparent = head.traceparent
    }

    /// The values of the fields with this name, in order; `_` is not `-` here.
    package func values(_ name: String) -> [String] {
        fields.filter { String(decoding: $0.name, as: UTF8.self).lowercased() == name.lowercased() }
            .map { String(decoding: $0.value, as: UTF8.self) }
    }

    package var names: [String] { fields.map { String(decoding: $0.name, as: UTF8.self).lowercased() } }

    /// The head again, normalised to one space and CRLF.
    package var canonicalBytes: [UInt8] {
        var bytes = method + [0x20] + target + Array(" HTTP/1.\(minorVersion)\r\n".utf8)
        for field in fields { bytes += field.name + Array(": ".utf8) + field.value + [0x0d, 0x0a] }
        return bytes + [0x0d, 0x0a]
    }

    /// Whether nothing in it could end a line.
    package var isClean: Bool {
        ([method, target] + fields.flatMap { [$0.name, $0.value] })
            .allSatisfy { text in !text.contains { $0 == 0 || $0 == 0x0a || $0 == 0x0d } }
    }
}

/// What came of parsing a request head.
package enum RequestOutcome: Equatable {
    case incomplete
    case refused(HTTPViolation)
    case head(RequestReading)

    package var reading: RequestReading? {
        if case .head(let reading) = self { reading } else { nil }
    }

    package var status: Int? {
        if case .refused(let violation) = self { violation.status } else { nil }
    }

    package static func parse(
        _ bytes: [UInt8],
        into head: RequestHead = RequestHead(),
        maximumBytes: Int = 32 << 10,
        maximumFields: Int = 100
    ) -> RequestOutcome {
        let parser = RequestHeadParser(maximumBytes: maximumBytes, maximumFields: maximumFields)
        switch parser.parse(bytes.span, into: head) {
        case .incomplete: return .incomplete
        case .refused(let violation): return .refused(violation)
        case .complete: return .head(RequestReading(head, bytes))
        }
    }

    package static func parse(_ text: String) -> RequestOutcome { parse(Array(text.utf8)) }

    /// The outcome of the shortest prefix with one, and its length.
    package static func drip(_ bytes: [UInt8], maximumBytes: Int = 32 << 10, maximumFields: Int = 100) -> (
        RequestOutcome, Int
    ) {
        let head = RequestHead()
        for count in Cuts.of(bytes.count) {
            let outcome = parse(
                Array(bytes[..<count]),
                into: head,
                maximumBytes: maximumBytes,
                maximumFields: maximumFields
            )
            if outcome != .incomplete { return (outcome, count) }
        }
        return (.incomplete, bytes.count)
    }
}
