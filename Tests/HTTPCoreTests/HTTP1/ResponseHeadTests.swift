import TestSupport
import Testing

@testable import HTTPCore

/// Heads of answers: what a sound backend sends, and what is not passed on.
struct ResponseHeadTests {
    private func read(_ text: String) throws -> ResponseReading {
        try #require(ResponseOutcome.parse(text).reading)
    }

    @Test func simpleHeadIsParsed() throws {
        let text = "HTTP/1.1 200 OK then\r\nContent-Length: 5\r\nDate: now\r\nX: y\r\n\r\nhello"
        let reading = try read(text)
        #expect(reading.status == 200)
        #expect(reading.reason == Array("OK then".utf8))
        #expect(reading.minorVersion == 1)
        #expect(reading.fields == [.init("Content-Length", "5"), .init("Date", "now"), .init("X", "y")])
        #expect(reading.contentLength == 5)
        #expect(!reading.isChunked)
        #expect(reading.hasDate)
        #expect(reading.length == text.utf8.count - 5)
    }

    @Test(arguments: [("HTTP/1.1 204", ""), ("HTTP/1.1 204 ", ""), ("HTTP/1.1 204 \u{e9}\t!", "\u{e9}\t!")])
    func reasonPhraseMayBeEmpty(line: String, reason: String) throws {
        #expect(try read("\(line)\r\n\r\n").reason == Array(reason.utf8))
    }

    @Test(arguments: [("HTTP/1.0", 0), ("HTTP/1.1", 1), ("HTTP/1.4", 1)])
    func higherMinorVersionIsReadAsOne(version: String, minor: Int) throws {
        #expect(try read("\(version) 200 OK\r\n\r\n").minorVersion == minor)
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false), ("HTTP/1.0", "", false),
        ("HTTP/1.0", "Connection: Keep-Alive\r\n", true), ("HTTP/1.1", "Connection: x, CLOSE\r\n", false),
    ])
    func keepAliveFollowsVersionAndConnection(version: String, lines: String, keeps: Bool) throws {
        #expect(try read("\(version) 200 OK\r\n\(lines)\r\n").keepsAlive == keeps)
    }

    @Test(arguments: [
        "HTTP/2 200 OK", "HTTP/2.0 200 OK", "HTTP/1.1200 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 099 OK",
        "HTTP/1.1 2x0 OK", "HTTP/1.1 abc OK", "HTTP/1.1  200 OK", "http/1.1 200 OK", "HTTP/1.x 200 OK", "ICY 200 OK",
        "HTTP/1.1 200OK", "HTTP/1.1 200 O\u{0}K", "HTTP/1.1 200 O\u{7f}K", "HTTP/1.1 200 O\rK", "HTTP/1.1", "",
        "HTTP/1.1\t200 OK", "\r\nHTTP/1.1 200 OK", "200 OK",
    ])
    func malformedStatusLineIsGarbled(line: String) {
        #expect(ResponseOutcome.parse("\(line)\r\nA: b\r\n\r\n").isGarbled)
    }

    static let garbledFields = [
        "Connection: \((0..<65).map { "x\($0)" }.joined(separator: ","))",
        "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5\r\nContent-Length: 6", "Content-Length: five",
        "Content-Length: 5, 5", "Content-Length: -1", "Content-Length:", "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: gzip", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "A : b", " A: b",
        "A: b\r\n c", "A", ": b", "A: b\nC: d", "A: b\rC: d", "A: \u{0}", "A: b\u{0}c", "A: b\rX-Evil: c", "A\u{e9}: b",
    ]

    @Test(arguments: garbledFields)
    func malformedOrAmbiguousFieldsAreGarbled(lines: String) {
        #expect(ResponseOutcome.parse("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n").isGarbled)
    }

    @Test func bareLineFeedIsGarbled() {
        #expect(ResponseOutcome.parse("HTTP/1.1 200 OK\nA: b\r\n\r\n").isGarbled)
        #expect(ResponseOutcome.parse("HTTP/1.1 200 OK\r\nA: b\r\n\n").isGarbled)
        #expect(ResponseOutcome.parse("\n").isGarbled)
    }

    @Test func transferEncodingInHTTP10IsGarbled() {
        #expect(ResponseOutcome.parse("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").isGarbled)
    }

    @Test func moreFieldsThanAllowedAreGarbled() {
        let head = { (count: Int) in "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: count) + "\r\n" }
        #expect(ResponseOutcome.parse(head(512)).reading?.fields.count == 512)
        #expect(ResponseOutcome.parse(head(513)) == .garbled(.tooManyFields))
    }

    @Test func headAboveMaximumSizeIsGarbled() {
        let room = ResponseHeadParser.maximumBytes - "HTTP/1.1 200 OK\r\nA: \r\n\r\n".utf8.count
        let head = { (length: Int) in "HTTP/1.1 200 OK\r\nA: \(String(repeating: "v", count: length))\r\n\r\n" }
        #expect(ResponseOutcome.parse(head(room)).reading?.length == ResponseHeadParser.maximumBytes)
        #expect(ResponseOutcome.parse(head(room + 1)) == .garbled(.headTooLarge))
    }

    // MARK: Framing (RFC 9112 section 6.3)

    struct Framing: Sendable {
        var status: Int
        var lines = ""
        var isHead = false
        var expected: ResponseFraming
    }

    @Test(arguments: [
        Framing(status: 200, lines: "Content-Length: 7\r\n", expected: .length(7)),
        Framing(status: 200, lines: "Content-Length: 0\r\n", expected: .length(0)),
        Framing(status: 200, lines: "Transfer-Encoding: Chunked\r\n", expected: .chunked),
        Framing(status: 200, expected: .untilClose), Framing(status: 404, expected: .untilClose),
        Framing(status: 200, lines: "Content-Length: 7\r\n", isHead: true, expected: .none),
        Framing(status: 200, lines: "Transfer-Encoding: chunked\r\n", isHead: true, expected: .none),
        Framing(status: 200, isHead: true, expected: .none), Framing(status: 204, expected: .none),
        Framing(status: 204, lines: "Content-Length: 7\r\n", expected: .none),
        Framing(status: 304, lines: "Content-Length: 7\r\n", expected: .none),
        Framing(status: 304, lines: "Transfer-Encoding: chunked\r\n", expected: .none),
        Framing(status: 100, expected: .none), Framing(status: 103, lines: "Content-Length: 7\r\n", expected: .none),
        Framing(status: 101, expected: .none), Framing(status: 205, expected: .untilClose),
        Framing(status: 200, lines: "Content_Length: 7\r\n", expected: .untilClose),
    ])
    func framingFollowsStatusMethodAndFields(framing: Framing) {
        let head = ResponseHead()
        let bytes = Array("HTTP/1.1 \(framing.status) X\r\n\(framing.lines)\r\n".utf8)
        #expect(ResponseOutcome.parse(bytes, into: head).reading != nil)
        #expect(head.framing(answeringHead: framing.isHead) == framing.expected)
    }

    // MARK: Properties

    private static let base = [
        "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nDate: Thu\r\nConnection: keep-alive, x-a\r\nX-A: 1\r\n\r\n",
        "HTTP/1.0 302\r\nLocation: /a?b\r\nSet-Cookie: a=b; Path=/\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 500 Internal Error\r\nTransfer-Encoding: chunked\r\nServer: x\r\nEmpty:\r\n\r\n",
    ].map { Array($0.utf8) }

    @Test func reusedHeadKeepsNothing() {
        let head = ResponseHead()
        for first in Self.base {
            for second in Self.base {
                #expect(ResponseOutcome.parse(first, into: head) != .incomplete)
                #expect(ResponseOutcome.parse(second, into: head) == ResponseOutcome.parse(second))
            }
        }
    }

    @Test func headsAreReadAlikeByteByByte() {
        var random = SplitMix64(seed: 20)
        for good in Self.base { #expect(ResponseOutcome.drip(good) == ResponseOutcome.parse(good)) }
        for lines in Self.garbledFields {
            let bytes = Array("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n".utf8)
            #expect(ResponseOutcome.drip(bytes) == ResponseOutcome.parse(bytes))
        }
        for _ in 0..<600 {
            let bytes = random.mutated(random.pick(Self.base))
            #expect(ResponseOutcome.drip(bytes) == ResponseOutcome.parse(bytes))
        }
    }

    @Test func acceptedMutationsRoundTripInCanonicalForm() {
        var random = SplitMix64(seed: 21)
        let head = ResponseHead()
        var accepted = 0
        for _ in 0..<60_000 {
            guard let reading = ResponseOutcome.parse(random.mutated(random.pick(Self.base)), into: head).reading
            else { continue }
            accepted += 1
            let canonical = reading.canonicalBytes
            var expected = reading
            expected.length = canonical.count
            guard reading.isClean, ResponseOutcome.parse(canonical) == .head(expected) else {
                Issue.record("\(String(decoding: canonical, as: UTF8.self)) is not what was accepted")
                return
            }
        }
        #expect(accepted > 5000)
    }
}
