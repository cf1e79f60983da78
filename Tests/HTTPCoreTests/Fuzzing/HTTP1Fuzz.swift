import NIOCore
import TestSupport

@testable import HTTPCore

/// The parsers of HTTP/1.1, both directions.
enum HTTP1Fuzz {
    static let targets = [requestHead, responseHead, chunkedBody, trailers]

    private static let fields = [
        "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "Host: a.test\r\n", "Connection: close, x-a\r\n",
        "Expect: 100-continue\r\n", "content_length: 1\r\n", " HTTP/1.1\r\n", " HTTP/1.0\r\n", "\r\n\r\n", "http://a/",
        "Upgrade: websocket\r\n",
    ]

    static let requestHead = FuzzTarget(
        "request-head",
        texts: [
            "GET / HTTP/1.1\r\nHost: app.test\r\n\r\n",
            "POST /a/b?c=d HTTP/1.1\r\nHost: app.test:8080\r\nContent-Length: 12\r\nX-A: \t b \r\nConnection: x-a\r\n\r\nbody",
            "PUT http://app.test/a HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
            "\r\nOPTIONS * HTTP/1.0\r\nCookie: a=b; c=\"d\"\r\nAuthorization: Bearer x.y.z\r\n\r\n",
        ],
        words: fields
    ) { bytes in
        let whole = RequestOutcome.parse(bytes)
        let (first, count) = RequestOutcome.drip(bytes)
        try hold(first == whole, "read another way byte by byte: \(first), at once \(whole)")
        guard let reading = whole.reading else { return false }
        try hold(count == reading.length, "complete before its last byte")
        try hold(reading.isClean, "a line end or NUL in a field")
        let again = RequestOutcome.parse(reading.canonicalBytes).reading
        try hold(again?.fields == reading.fields, "written again, it has other fields")
        try hold(again?.framing == reading.framing, "written again, its body is framed another way")
        return true
    }

    static let responseHead = FuzzTarget(
        "response-head",
        texts: [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n\r\nhello",
            "HTTP/1.0 302 \r\nLocation: /x\r\nSet-Cookie: a=b; Path=/\r\nConnection: keep-alive\r\n\r\n",
            "HTTP/1.1 204\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        ],
        words: fields
    ) { bytes in
        let whole = ResponseOutcome.parse(bytes)
        let first = ResponseOutcome.drip(bytes)
        try hold(first == whole, "read another way byte by byte: \(first), at once \(whole)")
        guard let reading = whole.reading else { return false }
        try hold(reading.isClean, "a line end or NUL in a field")
        try hold((100...999).contains(reading.status), "the status has not three digits")
        try hold(!(reading.isChunked && reading.contentLength != nil), "framed in two ways")
        let again = ResponseOutcome.parse(reading.canonicalBytes).reading
        try hold(again?.fields == reading.fields, "written again, it has other fields")
        try hold(again?.contentLength == reading.contentLength, "written again, its body is framed another way")
        return true
    }

    static let chunkedBody = FuzzTarget(
        "chunked-body",
        texts: [
            "5\r\nhello\r\n0\r\n\r\n", "1;a=b\r\nx\r\n000\r\nX-A: b\r\nGrpc-Status: 0\r\n\r\nrest",
            "A;q=\"\\\";\"\r\n0123456789\r\n0;last\r\n\r\n",
        ],
        words: ["0\r\n\r\n", "\r\n", "ffffffffffffffff", "00000000", ";a=\"", "Content-Length: 5\r\n"]
    ) { bytes in
        let whole = BodyReading.read([bytes])
        try hold(BodyReading.byteByByte(bytes) == whole, "read another way byte by byte")
        guard whole.end == .complete else { return false }
        try hold(whole.used <= bytes.count, "used more than there is")
        try hold(bytes[..<whole.used].suffix(2).elementsEqual([0x0d, 0x0a]), "does not end in CRLF")
        let size = whole.body.isEmpty ? [] : Array("\(String(whole.body.count, radix: 16))\r\n".utf8)
        let chunk = whole.body.isEmpty ? [] : size + whole.body + [0x0d, 0x0a]
        let written = chunk + Array("0\r\n".utf8) + whole.trailers + [0x0d, 0x0a]
        let again = BodyReading.read([written])
        try hold(again.end == .complete && again.used == written.count, "written again, it ends elsewhere")
        try hold(again.body == whole.body && again.trailers == whole.trailers, "written again, it is another body")
        return true
    }

    /// Trailer sections as they are passed on.
    static let trailers = FuzzTarget(
        "trailers",
        texts: [
            "X-A: b\r\nGrpc-Status: 0\r\nGrpc-Message: x\r\n", "Content-Length: 5\r\nX-B:\r\n",
            "Authorization: Bearer x\r\nHost: a\r\nSet-Cookie: c\r\nServer-Timing: d\r\n",
        ],
        words: fields + ["transfer_encoding: chunked\r\n", "X-Forwarded-For: 1.2.3.4\r\n", "cookie: a\r\n"]
    ) { bytes in
        let read = BodyReading.read([Array("0\r\n".utf8) + bytes + [0x0d, 0x0a]])
        guard read.end == .complete else { return false }
        var out = ByteBuffer()
        Trailers.write(read.trailers, to: &out) { _, _ in false }
        let written = Array(out.readableBytesView)
        guard !written.isEmpty else { return false }
        let head = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8) + written + [0x0d, 0x0a]
        guard let reading = RequestOutcome.parse(head).reading else { throw FuzzFailure("no fields, once written") }
        try hold(reading.length == head.count, "the section ends early")
        try hold(reading.framing == .none && !reading.connectionNamesFields, "a trailer decides about the message")
        for name in ["authorization", "cookie", "host", "x-forwarded-for", "set-cookie", "x-request-id"] {
            let count = reading.names.filter { $0 == name }.count
            try hold(count == (name == "host" ? 1 : 0), "\(name) comes as a trailer")
        }
        return true
    }
}
