/// Random request heads that are valid, each with what it must be read as.
package struct RequestGenerator {
    package var random: SplitMix64

    package init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    package static let tokenBytes = Array(
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8
    )
    private static let targetBytes = (UInt8(0x21)...0x7e).filter { $0 != UInt8(ascii: "#") }
    private static let valueBytes = [0x09] + (UInt8(0x20)...0x7e) + (UInt8(0x80)...0xff)

    package mutating func next() -> (bytes: [UInt8], reading: RequestReading) {
        var reading = RequestReading()
        reading.method =
            random.oneIn(3) ? random.bytes(random.within(1...32), of: Self.tokenBytes) : Array("GET".utf8)
        reading.target = [UInt8(ascii: "/")] + random.bytes(random.below(24), of: Self.targetBytes)
        let version = random.pick([0, 1, 1, 1, 2, 9])
        reading.minorVersion = min(version, 1)
        let fields = fields(&reading)
        reading.host = fields.firstIndex { isNamed($0, "host") }
        let traceparents = fields.indices.filter { isNamed(fields[$0], "traceparent") }
        reading.traceparent = traceparents.count == 1 ? traceparents[0] : nil
        reading.fields = fields
        if reading.minorVersion == 0 || reading.framing == .none { reading.expectsContinue = false }

        var bytes: [UInt8] = random.oneIn(6) ? [0x0d, 0x0a] : []
        bytes += reading.method + [0x20] + reading.target + Array(" HTTP/1.\(version)\r\n".utf8)
        for field in fields {
            bytes += field.name + [UInt8(ascii: ":")] + whiteSpace() + field.value + whiteSpace() + [0x0d, 0x0a]
        }
        bytes += [0x0d, 0x0a]
        reading.length = bytes.count
        return (bytes, reading)
    }

    private func isNamed(_ field: RequestReading.Field, _ name: String) -> Bool {
        String(decoding: field.name, as: UTF8.self).lowercased() == name
    }

    private mutating func fields(_ reading: inout RequestReading) -> [RequestReading.Field] {
        var fields: [RequestReading.Field] = []
        func add(_ name: [UInt8], _ value: [UInt8]) { fields.append(RequestReading.Field(name, value)) }
        if reading.minorVersion == 1 || random.oneIn(2) { add(random.anyCase("host"), Array("app.test".utf8)) }
        for _ in 0..<random.below(5) {
            // No field that the gateway knows begins with a Q.
            add([UInt8(ascii: "Q")] + random.bytes(random.below(16), of: Self.tokenBytes), value())
        }
        switch random.below(3) {
        case 0 where reading.minorVersion == 1:
            add(random.anyCase("transfer-encoding"), random.anyCase("chunked"))
            reading.framing = .chunked
        case 1:
            let length = random.below(1_000_000)
            add(random.anyCase("content-length"), Array((random.oneIn(4) ? "00\(length)" : "\(length)").utf8))
            reading.framing = .length(length)
        default: break
        }
        if random.oneIn(4) {
            add(random.anyCase("expect"), random.anyCase("100-continue"))
            reading.expectsContinue = true
        }
        if random.oneIn(2) { add(random.anyCase("connection"), connection(&reading)) }
        for _ in 0..<random.pick([0, 0, 1, 2]) { add(random.anyCase("traceparent"), value()) }
        return fields.shuffled(using: &random)
    }

    private mutating func connection(_ reading: inout RequestReading) -> [UInt8] {
        var members: [[UInt8]] = []
        if random.oneIn(3) {
            members.append(random.anyCase("close"))
            reading.connectionClose = true
        }
        if random.oneIn(2) {
            members.append(random.anyCase("keep-alive"))
            reading.connectionKeepAlive = true
        }
        if random.oneIn(2) {
            members.append(random.anyCase("q-hop"))
            reading.connectionNamesFields = true
        }
        return Array(members.shuffled(using: &random).joined(separator: Array(random.pick([",", ", ", "\t,, "]).utf8)))
    }

    /// A value without white space at its ends.
    private mutating func value() -> [UInt8] {
        let bytes = random.bytes(random.below(30), of: Self.valueBytes)
        let isWhite: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        guard let first = bytes.firstIndex(where: { !isWhite($0) }),
            let last = bytes.lastIndex(where: { !isWhite($0) })
        else { return [] }
        return Array(bytes[first...last])
    }

    private mutating func whiteSpace() -> [UInt8] {
        random.bytes(random.pick([0, 0, 1, 1, 2, 5]), of: [0x20, 0x09])
    }
}
