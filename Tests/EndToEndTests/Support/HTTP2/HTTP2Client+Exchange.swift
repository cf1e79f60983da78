/// How a stream came to its end.
enum HTTP2Outcome: Sendable {
    case response(RawResponse)
    case reset(HTTP2ErrorCode)
    /// The connection ended, with the code of its GOAWAY if there was one.
    case ended(HTTP2ErrorCode?)
}

extension HTTP2Client {
    // MARK: Requests

    /// The fields of an ordinary request, pseudo-fields first.
    static func fields(
        _ path: String,
        method: String = "GET",
        authority: String = "app.test",
        fields: [(String, String)] = []
    ) -> [(String, String)] {
        [(":method", method), (":scheme", "http"), (":authority", authority), (":path", path)] + fields
    }

    /// Sends a request, or its beginning.
    ///
    /// - Parameters:
    ///   - body: Sent as the gateway's windows allow.
    ///   - end: Whether the request is over then.
    /// - Returns: The stream.
    func open(
        _ path: String,
        method: String = "GET",
        authority: String = "app.test",
        fields: [(String, String)] = [],
        body: [UInt8]? = nil,
        trailers: [(String, String)]? = nil,
        end: Bool = true
    ) async throws -> Int {
        let stream = newStream()
        let all = Self.fields(path, method: method, authority: authority, fields: fields)
        let last = end && body == nil && trailers == nil
        try await send(.headers(stream, HeaderBlock(fields: all), end: last))
        if let body { try await sendBody(body, on: stream, end: end && trailers == nil) }
        if let trailers { try await send(.headers(stream, HeaderBlock(fields: trailers), end: end)) }
        return stream
    }

    /// One request and its response.
    func request(
        _ path: String,
        method: String = "GET",
        authority: String = "app.test",
        fields: [(String, String)] = [],
        body: [UInt8]? = nil,
        trailers: [(String, String)]? = nil
    ) async throws -> RawResponse {
        let stream = try await open(
            path,
            method: method,
            authority: authority,
            fields: fields,
            body: body,
            trailers: trailers
        )
        return try await response(on: stream, to: method)
    }

    // MARK: Responses

    /// - Throws: ``Malformed`` when the stream ends otherwise.
    func response(on stream: Int, to method: String = "GET") async throws -> RawResponse {
        let outcome = try await outcome(of: stream, method: method)
        guard case .response(let response) = outcome else { throw Malformed("no answer on \(stream) but \(outcome)") }
        return response
    }

    /// How the stream ends: a response is whole only with its END_STREAM.
    ///
    /// - Throws: ``Malformed`` for a response that is none (RFC 9113 sections 8.1 and 8.3.2).
    func outcome(of stream: Int, method: String = "GET") async throws -> HTTP2Outcome {
        var response: RawResponse?
        var interim: [RawResponse] = []
        while let event = try await event(on: stream) {
            var isOver = false
            switch event {
            case .reset(let code): return .reset(code)
            case .data(let bytes, let end):
                guard response != nil else { throw Malformed("content before a head") }
                response?.body.bytes += bytes
                isOver = end
            case .fields(let fields, let end) where response != nil:
                guard end, !fields.names.contains(where: { $0.hasPrefix(":") }) else { throw Malformed("no trailers") }
                response?.body.trailers = fields
                isOver = true
            case .fields(let fields, let end):
                let head = try Self.head(fields)
                if head.status < 200 {
                    guard !end else { throw Malformed("an interim response at the end") }
                    interim.append(head)
                } else {
                    response = head
                    isOver = end
                }
            default: throw Malformed("on a stream: \(event)")
            }
            if isOver, var whole = response {
                whole.interim = interim
                try Self.checkLength(whole, method: method)
                return .response(whole)
            }
        }
        return .ended(lastGoAway?.code)
    }

    /// The head of a response: one `:status`, first, and no other pseudo-field.
    static func head(_ fields: FieldLines) throws -> RawResponse {
        let pseudo = fields.names.filter { $0.hasPrefix(":") }
        guard pseudo == [":status"], fields.names.first == ":status", let text = fields[":status"].first,
            text.utf8.count == 3, let status = Int(text), (100...599).contains(status), status != 101
        else { throw Malformed("no response head: \(fields)") }
        return RawResponse(version: "HTTP/2", status: status, fields: fields, framing: .none, body: MessageBody())
    }

    private static func checkLength(_ response: RawResponse, method: String) throws {
        let length = response.body.bytes.count
        if method == "HEAD" || response.status == 204 || response.status == 304 {
            guard length == 0 else { throw Malformed("content where none may be") }
        } else if case .contentLength(let announced) = try response.fields.framing(otherwise: .none) {
            guard announced == length else { throw Malformed("\(length) bytes of \(announced)") }
        }
    }
}
