/// Reads `envoy.service.auth.v3.CheckRequest`. Fields that are not needed are skipped.
///
/// As Protobuf has it, the last value of a field counts, and a message that comes twice is read as one.
struct CheckRequestReader {
    private var method: [UInt8] = []
    private var path: [UInt8] = []
    private var host: [UInt8] = []
    private var scheme: [UInt8] = []
    private var version: [UInt8] = []
    private var source: [UInt8] = []
    private var mapped: [AuthzField] = []
    private var listed: [AuthzField] = []
    private var hasTwoValues = false

    /// - Parameter bytes: The whole message.
    static func read(_ bytes: Span<UInt8>) throws(ProtobufMalformed) -> QueriedRequest {
        var reader = CheckRequestReader()
        // CheckRequest: attributes
        try reader.read(bytes, 0..<bytes.count) { (reader, number, value) throws(ProtobufMalformed) in
            if number == 1 { try reader.readAttributes(bytes, value) }
        }
        return reader.request
    }

    private var request: QueriedRequest {
        QueriedRequest(
            method: method,
            path: path,
            host: host,
            scheme: scheme,
            version: String(decoding: version, as: UTF8.self),
            fields: sortedMap + listed,
            source: source.isEmpty ? nil : source,
            isContradictory: !listed.isEmpty && !mapped.isEmpty || hasTwoValues
        )
    }

    /// By name, since a map has no order: the same request always gives the same head. Of one name, the last entry.
    private var sortedMap: [AuthzField] {
        var sorted: [AuthzField] = []
        sorted.reserveCapacity(mapped.count)
        // The sort is stable.
        for field in mapped.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
            if sorted.last?.name == field.name { sorted.removeLast() }
            sorted.append(field)
        }
        return sorted
    }

    // MARK: Messages

    private mutating func readAttributes(_ bytes: Span<UInt8>, _ message: Range<Int>) throws(ProtobufMalformed) {
        try read(bytes, message) { (reader, number, value) throws(ProtobufMalformed) in
            switch number {
            case 1: try reader.readPeer(bytes, value)
            case 4: try reader.readRequest(bytes, value)
            default: break
            }
        }
    }

    /// Peer: address (Address): socket_address (SocketAddress): address
    private mutating func readPeer(_ bytes: Span<UInt8>, _ message: Range<Int>) throws(ProtobufMalformed) {
        try read(bytes, message) { (reader, number, address) throws(ProtobufMalformed) in
            guard number == 1 else { return }
            try reader.read(bytes, address) { (reader, number, socket) throws(ProtobufMalformed) in
                guard number == 1 else { return }
                try reader.read(bytes, socket) { (reader, number, value) throws(ProtobufMalformed) in
                    if number == 2 { reader.source = try Self.text(bytes, value) }
                }
            }
        }
    }

    /// Request: http
    private mutating func readRequest(_ bytes: Span<UInt8>, _ message: Range<Int>) throws(ProtobufMalformed) {
        try read(bytes, message) { (reader, number, value) throws(ProtobufMalformed) in
            if number == 2 { try reader.readHTTP(bytes, value) }
        }
    }

    private mutating func readHTTP(_ bytes: Span<UInt8>, _ message: Range<Int>) throws(ProtobufMalformed) {
        try read(bytes, message) { (reader, number, value) throws(ProtobufMalformed) in
            switch number {
            case 2: reader.method = try Self.text(bytes, value)
            case 3: reader.mapped.append(try Self.entry(bytes, value))
            case 4: reader.path = try Self.text(bytes, value)
            case 5: reader.host = try Self.text(bytes, value)
            case 6: reader.scheme = try Self.text(bytes, value)
            case 10: reader.version = try Self.text(bytes, value)
            case 13: try reader.readHeaderMap(bytes, value)
            default: break
            }
        }
    }

    /// HeaderMap: headers
    private mutating func readHeaderMap(_ bytes: Span<UInt8>, _ message: Range<Int>) throws(ProtobufMalformed) {
        try read(bytes, message) { (reader, number, value) throws(ProtobufMalformed) in
            if number == 1 { try reader.readHeaderValue(bytes, value) }
        }
    }

    /// HeaderValue: key, value, raw_value
    private mutating func readHeaderValue(_ bytes: Span<UInt8>, _ message: Range<Int>) throws(ProtobufMalformed) {
        var field = AuthzField(name: [], value: [])
        var raw: [UInt8] = []
        var fields = ProtobufReader(message)
        while let next = try fields.next(bytes) {
            guard case .bytes(let place) = next.value else { continue }
            switch next.number {
            case 1: field.name = try Self.text(bytes, place)
            case 2: field.value = try Self.text(bytes, place)
            case 3: raw = bytes.copied(place)
            default: break
            }
        }
        if !raw.isEmpty {
            if !field.value.isEmpty { hasTwoValues = true }
            field.value = raw
        }
        listed.append(field)
    }

    /// An entry of a map of strings: key, value. Readers differ about entries with other types, so they are refused.
    private static func entry(_ bytes: Span<UInt8>, _ message: Range<Int>) throws(ProtobufMalformed) -> AuthzField {
        var field = AuthzField(name: [], value: [])
        var fields = ProtobufReader(message)
        while let next = try fields.next(bytes) {
            switch (next.number, next.value) {
            case (1, .bytes(let place)): field.name = try text(bytes, place)
            case (2, .bytes(let place)): field.value = try text(bytes, place)
            case (1, .other), (2, .other): throw ProtobufMalformed()
            default: break
            }
        }
        return field
    }

    // MARK: Values

    /// Calls `take` for each string, bytes or message of a message.
    private mutating func read(
        _ bytes: Span<UInt8>,
        _ message: Range<Int>,
        _ take: (inout CheckRequestReader, Int, Range<Int>) throws(ProtobufMalformed) -> Void
    ) throws(ProtobufMalformed) {
        var fields = ProtobufReader(message)
        while let field = try fields.next(bytes) {
            if case .bytes(let place) = field.value { try take(&self, field.number, place) }
        }
    }

    /// A string, which must be UTF-8.
    private static func text(_ bytes: Span<UInt8>, _ place: Range<Int>) throws(ProtobufMalformed) -> [UInt8] {
        do {
            _ = try UTF8Span(validating: bytes.extracting(place))
        } catch {
            throw ProtobufMalformed()
        }
        return bytes.copied(place)
    }
}

extension Span where Element == UInt8 {
    fileprivate func copied(_ place: Range<Int>) -> [UInt8] {
        let part = extracting(place)
        return [UInt8](unsafeUninitializedCapacity: part.count) { buffer, count in
            for position in part.indices { buffer.initializeElement(at: position, to: part[position]) }
            count = part.count
        }
    }
}
