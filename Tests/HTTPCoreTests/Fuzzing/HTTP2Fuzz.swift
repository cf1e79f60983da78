import NIOCore
import TestSupport

@testable import HTTPCore

/// HTTP/2: header compression, heads made of fields, and sessions of both roles.
enum HTTP2Fuzz {
    static let targets = [headerBlock, requestFields, responseFields, serverSession, clientSession]

    private static let request = [
        (":method", "POST"), (":scheme", "https"), (":path", "/a?b"), (":authority", "app.test"), ("cookie", "a=b"),
        ("content-length", "3"), ("te", "trailers"), ("x-a", "b"),
    ]
    private static let response = [(":status", "200"), ("content-type", "text/plain"), ("content-length", "5")]

    private static func blocks(_ fields: [(String, String)]) -> [[UInt8]] {
        let named = fields.map { HPACKField($0.0, $0.1) }
        var blocks = [Frame.block(fields)]
        for indexing in [OurEncoder.Indexing.incremental, .without, .never] {
            var encoder = OurEncoder()
            let first = encoder.block(named, indexing: indexing)
            // Twice, so that the dynamic table is used.
            blocks.append(first + encoder.block(named, indexing: indexing))
        }
        return blocks
    }

    private static func decoded(_ block: [UInt8]) -> HeaderList? {
        var list = HeaderList()
        list.reset(maximumSize: 64 << 10, maximumFields: 100)
        var decoder = OurDecoder()
        return (try? decoder.decode(block.span, into: &list)) == nil ? nil : list
    }

    private static func hasLineEnd(_ list: HeaderList) -> Bool {
        for field in list.fields {
            let bytes = Array(list.bytes[field.name]) + Array(list.bytes[field.value])
            if bytes.contains(0) || bytes.contains(0x0a) || bytes.contains(0x0d) { return true }
        }
        return false
    }

    static let headerBlock = FuzzTarget("header-block", seeds: blocks(request) + blocks(response)) { bytes in
        guard let list = decoded(bytes) else { return false }
        try hold(list.size <= 64 << 10 && list.fields.count <= 100, "past the limits")
        guard !list.isTooLarge else { return true }
        var out = ByteBuffer()
        var encoder = OurEncoder()
        encoder.beginBlock(to: &out)
        for field in list.fields {
            let (name, value) = (Array(list.bytes[field.name]), Array(list.bytes[field.value]))
            encoder.encode(name: name.span, value: value.span, indexing: .incremental, to: &out)
        }
        guard let again = decoded(Array(out.readableBytesView)) else {
            throw FuzzFailure("encoded, it cannot be decoded")
        }
        try hold(again.fields.count == list.fields.count, "encoded, it has another number of fields")
        for (one, other) in zip(list.fields, again.fields) {
            try hold(list.bytes[one.line] == again.bytes[other.line], "encoded, a field is another")
        }
        return true
    }

    static let requestFields = FuzzTarget(
        "http2-request-fields",
        seeds: [
            Frame.block(request),
            Frame.block(
                Frame.request + [("x-b", "a value that has some length"), ("cookie", "d=e"), ("cookie", "f=g")]
            ),
        ],
        words: ["\u{0}\u{4}host\u{3}a.b", ":path", "\r\nX: y", "transfer-encoding", "connection", "content-length"]
    ) { bytes in
        guard let list = decoded(bytes) else { return false }
        var heads = 0
        for endStream in [true, false] {
            var out = ByteBuffer()
            guard (try? HTTP2Request.write(list, endStream: endStream, to: &out)) != nil else {
                try hold(out.readableBytes == 0, "refused, and written all the same")
                continue
            }
            try hold(!hasLineEnd(list), "a field with a line end or NUL is written")
            let head = Array(out.readableBytesView)
            switch RequestOutcome.parse(head, maximumBytes: 128 << 10) {
            case .incomplete: throw FuzzFailure("the head has no end")
            case .refused: continue
            case .head(let reading):
                try hold(reading.length == head.count, "more than one head was written")
                try hold(reading.isClean, "a line end or NUL in a field")
                let isFramed = reading.framing != .none
                try hold(!(endStream && reading.framing == .chunked), "a body after the end of the stream")
                try hold(
                    endStream || isFramed || head.starts(with: "CONNECT".utf8) || reading.names.contains("upgrade"),
                    "an open stream without a body"
                )
                heads += 1
            }
        }
        return heads > 0
    }

    static let responseFields = FuzzTarget(
        "http2-response-fields",
        seeds: [
            Frame.block(response),
            Frame.block([(":status", "204"), ("set-cookie", "a=b; Path=/; HttpOnly"), ("x", "")]),
        ],
        words: [":status", "101", "\r\nX: y", "transfer-encoding", "content-length"]
    ) { bytes in
        guard let list = decoded(bytes) else { return false }
        var heads = 0
        for (endStream, answeringHead) in [(true, false), (false, false), (true, true)] {
            var out = ByteBuffer()
            let written: Void? = try? HTTP2BackendResponse.write(
                list,
                endStream: endStream,
                answeringHead: answeringHead,
                to: &out
            )
            guard written != nil else {
                try hold(out.readableBytes == 0, "refused, and written all the same")
                continue
            }
            try hold(!hasLineEnd(list), "a field with a line end or NUL is written")
            let head = Array(out.readableBytesView)
            switch ResponseOutcome.parse(head) {
            case .incomplete: throw FuzzFailure("the head has no end")
            case .garbled: continue
            case .head(let reading):
                try hold(reading.length == head.count, "more than one head was written")
                try hold(reading.isClean, "a line end or NUL in a field")
                try hold(reading.status != 101, "a switch of protocols over HTTP/2")
                try hold(!(endStream && reading.isChunked), "a body after the end of the stream")
                heads += 1
            }
        }
        return heads > 0
    }

    // MARK: Sessions

    /// What a session makes of the pieces: all events, then all bytes that it wrote.
    private static func outcome(_ role: HTTP2Session.Role, _ pieces: [[UInt8]]) -> ([SessionProbe.Seen], [UInt8]) {
        let fixture = SessionProbe(role)
        if role == .client {
            for _ in 0..<2 {
                guard let stream = fixture.session.openStream() else { continue }
                fixture.sendHeaders(stream, Frame.request, endStream: stream == 1)
            }
        }
        var seen: [SessionProbe.Seen] = []
        for piece in pieces {
            fixture.session.receive(ByteBuffer(bytes: piece))
            while let event = fixture.session.next(headers: &fixture.list, at: fixture.now) {
                seen.append(fixture.read(event))
                switch event {
                case .headers(let stream, _, .initial) where role == .server:
                    fixture.respond(stream, endStream: stream % 3 == 0)
                case .data(let stream, _, let flowControlled, _):
                    fixture.session.consumed(stream: stream, flowControlled)
                default: break
                }
            }
        }
        return (seen, fixture.takeOutput())
    }

    private static func check(_ role: HTTP2Session.Role, _ bytes: [UInt8]) throws -> Bool {
        let whole = outcome(role, [bytes])
        let cut = outcome(role, bytes.map { [$0] })
        try hold(cut.0 == whole.0, "other events byte by byte")
        try hold(cut.1 == whole.1, "another output byte by byte")
        // Each frame that is answered has 9 bytes at least, and no answer of the session's own is as long as 64.
        try hold(whole.1.count <= 512 + 8 * bytes.count, "\(whole.1.count) bytes are written for \(bytes.count)")
        return !whole.0.contains { if case .connectionError = $0 { true } else { false } }
    }

    static let serverSession = FuzzTarget(
        "http2-server-session",
        seeds: [
            Frame.preface + Frame.settings([(4, 70_000), (1, 100)]) + Frame.settingsAcknowledgement + Frame.headers(1)
                + Frame.headers(3, endStream: false) + Frame.data(3, 20, endStream: true) + Frame.ping(),
            Frame.preface + Frame.settings() + Frame.headers(1, endStream: false, endHeaders: false)
                + Frame.continuation(1, endHeaders: true, [("x-more", "yes")]) + Frame.windowUpdate(0, 1000)
                + Frame.windowUpdate(1, 5) + Frame.headers(1, [("x", "y")]) + Frame.reset(1)
                + Frame.priority(5, dependsOn: 3),
        ],
        quickInputs: 600
    ) { try check(.server, $0) }

    static let clientSession = FuzzTarget(
        "http2-client-session",
        seeds: [
            Frame.settings([(3, 10)]) + Frame.settingsAcknowledgement
                + Frame.headers(1, endStream: false, [(":status", "200"), ("content-length", "20")])
                + Frame.data(1, 20, endStream: true) + Frame.headers(3, [(":status", "204")]),
            Frame.settings() + Frame.headers(3, endStream: false, [(":status", "103")])
                + Frame.headers(3, endStream: false, [(":status", "200")]) + Frame.data(3, 7)
                + Frame.headers(3, [("grpc-status", "0")]) + Frame.reset(1) + Frame.ping() + Frame.windowUpdate(0, 9),
        ],
        quickInputs: 600
    ) { try check(.client, $0) }
}
