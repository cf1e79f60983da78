/// A request head as the backend received it.
struct RequestHead: Sendable {
    var method: String
    var target: String
    var version: String
    var fields: FieldLines
    var framing: Framing

    /// The target up to its query.
    var path: String { String(target.prefix { $0 != "?" }) }

    /// Nil when the connection ended before a first byte.
    ///
    /// - Throws: ``Malformed`` for anything that another backend could read differently.
    static func read(from reader: ByteReader) async throws -> RequestHead? {
        guard let line = try await reader.line() else { return nil }
        let parts = line.text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }), ["HTTP/1.1", "HTTP/1.0"].contains(parts[2]) else {
            throw Malformed("no request line: \(line.text)")
        }
        let target = parts[1]
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }) else {
            throw Malformed("target \(target)")
        }
        let fields = try await FieldLines.read(from: reader)
        guard fields["Host"].count == 1 else { throw Malformed("\(fields["Host"].count) Host fields") }
        let framing = try fields.framing(otherwise: .none)
        if parts[2] == "HTTP/1.0", framing == .chunked { throw Malformed("chunked in HTTP/1.0") }
        return RequestHead(method: parts[0], target: target, version: parts[2], fields: fields, framing: framing)
    }
}

/// A whole request as the backend received it.
struct RecordedRequest: Sendable {
    var head: RequestHead
    var body: MessageBody
    /// Counts the backend's connections from 0.
    var connection: Int

    var method: String { head.method }
    var target: String { head.target }
    var fields: FieldLines { head.fields }
}
