package import HTTPCore

/// What a response head parsed to, as a value that outlives the bytes.
package struct ResponseReading: Equatable {
    package var status: Int
    package var reason: [UInt8]
    package var minorVersion: Int
    package var fields: [RequestReading.Field]
    package var length: Int
    package var contentLength: Int?
    package var isChunked: Bool
    package var connectionNamesFields: Bool
    package var keepsAlive: Bool
    package var hasDate: Bool

    package init(_ head: ResponseHead, _ bytes: [UInt8]) {
        status = head.status
        reason = Array(bytes[head.reason])
        minorVersion = head.minorVersion
        fields = head.fields[..<head.fieldCount].map {
            RequestReading.Field(Array(bytes[$0.name]), Array(bytes[$0.value]))
        }
        length = head.length
        contentLength = head.contentLength
        isChunked = head.isChunked
        connectionNamesFields = !head.connectionNames.isEmpty
        keepsAlive = head.keepsAlive
        hasDate = head.hasDate
    }

    package func values(_ name: String) -> [String] {
        fields.filter { String(decoding: $0.name, as: UTF8.self).lowercased() == name.lowercased() }
            .map { String(decoding: $0.value, as: UTF8.self) }
    }

    package var canonicalBytes: [UInt8] {
        var bytes = Array("HTTP/1.\(minorVersion) \(status) ".utf8) + reason + [0x0d, 0x0a]
        for field in fields { bytes += field.name + Array(": ".utf8) + field.value + [0x0d, 0x0a] }
        return bytes + [0x0d, 0x0a]
    }

    package var isClean: Bool {
        ([reason] + fields.flatMap { [$0.name, $0.value] })
            .allSatisfy { text in !text.contains { $0 == 0 || $0 == 0x0a || $0 == 0x0d } }
    }
}

/// What came of parsing a response head.
package enum ResponseOutcome: Equatable {
    case incomplete
    case garbled(HTTPViolation)
    case head(ResponseReading)

    package var reading: ResponseReading? {
        if case .head(let reading) = self { reading } else { nil }
    }

    package var isGarbled: Bool {
        if case .garbled = self { true } else { false }
    }

    package static func parse(_ bytes: [UInt8], into head: ResponseHead = ResponseHead()) -> ResponseOutcome {
        switch ResponseHeadParser().parse(bytes.span, into: head) {
        case .incomplete: .incomplete
        case .garbled(let violation): .garbled(violation)
        case .complete: .head(ResponseReading(head, bytes))
        }
    }

    package static func parse(_ text: String) -> ResponseOutcome { parse(Array(text.utf8)) }

    package static func drip(_ bytes: [UInt8]) -> ResponseOutcome {
        let head = ResponseHead()
        for count in Cuts.of(bytes.count) {
            let outcome = parse(Array(bytes[..<count]), into: head)
            if outcome != .incomplete { return outcome }
        }
        return .incomplete
    }
}
