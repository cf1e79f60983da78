import TestSupport

/// A response as the client received it.
struct RawResponse: Sendable {
    var version: String
    var status: Int
    var fields: FieldLines
    var framing: Framing
    var body: MessageBody
    /// 1xx responses that came before it.
    var interim: [RawResponse] = []

    /// Reads status line and fields; the body is left on the wire.
    static func readHead(from reader: ByteReader, method: String) async throws -> RawResponse {
        guard let line = try await reader.line() else { throw EndOfStream() }
        let text = line.text
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].count == 3,
            let status = Int(parts[1]), (100...599).contains(status)
        else { throw Malformed("no status line: \(text)") }
        let fields = try await FieldLines.read(from: reader)
        var framing = try fields.framing(otherwise: .untilClose)
        if method == "HEAD" || status < 200 || status == 204 || status == 304 {
            if status < 200 || status == 204, framing != .untilClose { throw Malformed("\(status) with a body length") }
            framing = .none
        }
        if parts[0] == "HTTP/1.0", framing == .chunked { throw Malformed("chunked in HTTP/1.0") }
        return RawResponse(
            version: String(parts[0]),
            status: status,
            fields: fields,
            framing: framing,
            body: MessageBody()
        )
    }
}
