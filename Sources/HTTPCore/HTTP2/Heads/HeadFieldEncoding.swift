public import NIOCore

extension HPACKEncoder {
    /// Encodes a field of an HTTP/1.1 head, with its name in lower case.
    ///
    /// Credentials are never indexed (RFC 7541 section 7.1.3): with a table that also has input controlled by an
    /// attacker, the sizes of blocks would confirm guesses. Lengths and identifiers change each time and are not worth
    /// an entry.
    public mutating func encode(_ field: HeadField, _ bytes: Span<UInt8>, to out: inout ByteBuffer) {
        let indexing: Indexing
        switch field.known {
        case .authorization, .cookie, .proxyAuthorization: indexing = .never
        case .xRequestID, .traceparent: indexing = .without
        case .other: indexing = bytes.isFieldName(field.name, "set-cookie") ? .never : .incremental
        case .host, .contentLength, .transferEncoding, .connection, .expect, .upgrade, .te, .trailer, .keepAlive,
            .proxyConnection, .proxyAuthenticate, .http2Settings, .forwarded, .xForwarded, .xRealIP, .tracestate,
            .date, .clientCertificateSubject:
            indexing = .incremental
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: field.name.count) { name in
            for offset in 0..<name.count {
                name.initializeElement(at: offset, to: bytes[Int(field.nameStart) + offset].asciiLowercased)
            }
            encode(
                name: Span(_unsafeElements: UnsafeBufferPointer(name)),
                value: bytes.extracting(field.value),
                indexing: indexing,
                to: &out
            )
        }
    }

    /// Encodes a field of ours, with its name in lower case.
    public mutating func encode(_ field: HeaderField, indexing: Indexing, to out: inout ByteBuffer) {
        let count = field.name.utf8.count
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { name in
            for (offset, byte) in field.name.utf8.enumerated() {
                name.initializeElement(at: offset, to: byte.asciiLowercased)
            }
            encode(
                name: Span(_unsafeElements: UnsafeBufferPointer(name)),
                value: field.value.span,
                indexing: indexing,
                to: &out
            )
        }
    }

    public mutating func encode(contentLength: Int, to out: inout ByteBuffer) {
        // A literal under the name of index 28, not indexed.
        out.writeMultipleIntegers(UInt8(0x0f), UInt8(28 - 15))
        let start = out.writerIndex
        out.writeInteger(UInt8(0))
        out.writeDecimal(contentLength)
        out.setInteger(UInt8(truncatingIfNeeded: out.writerIndex - start - 1), at: start)
    }
}
