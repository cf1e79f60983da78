import TestSupport
import Testing

@testable import HTTPCore

/// Heads that two parsers could read in two ways, and heads past the limits: the status of each refusal.
struct RequestHeadRefusalTests {
    static let badRequestLines = [
        "\r\n\r\n\r\nGET / HTTP/1.1", "\r\n\nGET / HTTP/1.1", "\r\n GET / HTTP/1.1", "\nGET / HTTP/1.1",
        " GET / HTTP/1.1", "GET  / HTTP/1.1", "GET /  HTTP/1.1",
        "GET / HTTP/1.1 ", "GET /", "GET", "/ HTTP/1.1", "GET\t/ HTTP/1.1", "G(T / HTTP/1.1", "GE\u{0}T / HTTP/1.1",
        "GET /a b HTTP/1.1", "GET /\u{7f} HTTP/1.1", "GET /\u{e9} HTTP/1.1", "GET /#f HTTP/1.1", "GET /\t HTTP/1.1",
        "GET / http/1.1", "GET / HTTP/1", "GET / HTTP/1.", "GET / HTTP/11", "GET / HTTP/1.10", "GET / HTTP/ 1.1",
        "GET / HTTP/1.x", "GET / HTTPS/1.1", "GET / HTTP/1,1", "GET /\rx HTTP/1.1", "PRI * HTTP/2",
        "GET HTTP/1.1", "GET /\u{1} HTTP/1.1", "GET / HTTP/1.1\r\n A: b", "GET / HTTP/1.1\nA: b",
        "\u{16}\u{3}\u{1}\u{2}",
    ]

    @Test(arguments: badRequestLines)
    func malformedRequestLineIs400(line: String) {
        #expect(RequestOutcome.parse("\(line)\r\nHost: a\r\n\r\n").status == 400)
    }

    private static func connection(_ members: Int, _ separator: String) -> String {
        let list = (0..<members).map { "x\($0)" }.joined(separator: separator)
        return "GET / HTTP/1.1\r\nHost: a\r\nConnection: \(list)\r\n\r\n"
    }

    /// Every field of a head is compared with every member of Connection.
    @Test(arguments: [",", "\r\nConnection:"])
    func tooManyConnectionMembersAre400(separator: String) {
        #expect(RequestOutcome.parse(Self.connection(64, separator)).reading?.connectionNamesFields == true)
        #expect(RequestOutcome.parse(Self.connection(65, separator)).status == 400)
        #expect(RequestOutcome.parse(Self.connection(5000, ",")).status == 400)
    }

    @Test func connectionNamesAreResetPerHead() {
        let head = RequestHead()
        for _ in 0..<3 {
            #expect(RequestOutcome.parse(Array(Self.connection(64, ",").utf8), into: head).reading != nil)
            #expect(head.connectionNames.count == 64)
        }
        #expect(RequestOutcome.parse(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8), into: head).reading != nil)
        #expect(head.connectionNames.isEmpty)
    }

    @Test(arguments: ["HTTP/0.9", "HTTP/2.0", "HTTP/3.0", "HTTP/0.0", "HTTP/9.9"])
    func otherMajorVersionIs505(version: String) {
        #expect(RequestOutcome.parse("GET / \(version)\r\nHost: a\r\n\r\n").status == 505)
    }

    static let badFields = [
        "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5, 5",
        "Content-Length: +5", "Content-Length: -5", "Content-Length: 0x5", "Content-Length: 5 5", "Content-Length: 5.0",
        "Content-Length:", "Content-Length: five", "Content-Length: 1000000000000000000",
        "Content-Length: 99999999999999999999999999999", "Content_Length: 5", "Transfer-Encoding: gzip",
        "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: gzip, chunked, chunked", "Transfer-Encoding: gzip, chunked;q=1, chunked",
        "Transfer-Encoding: gzip,, chunked", "Transfer-Encoding: gz ip, chunked", "Transfer-Encoding: , chunked",
        "Transfer-Encoding: gzip, chunked\r\nContent-Length: 5", "Transfer-Encoding: gzip\r\nTransfer-Encoding: br",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip, chunked", "Transfer-Encoding: \u{b}gzip, chunked",
        "Transfer-Encoding: identity", "Transfer-Encoding:", "Transfer-Encoding: chunked;q=1",
        "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer_Encoding: chunked", "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked,", "Host: b",
        "Host: a", "hOST: a", "A : b", "A\t: b", " A: b", "\tA: b", ": b", "A", "A b: c", "A: b\r\n c", "A: b\r\n\tc",
        "A: b\nC: d", "A: b\rC: d", "A: b\u{0}", "A: \u{1}", "A: \u{7f}", "A\u{e9}: b", "A(: b", "A: 0123456789\u{8}",
        "A: \r", "A:\r\r", "TRANSFER_ENCODING: x", "connection\u{b}: close",
        "Content-Length: \u{b}5", "Transfer-Encoding: \u{b}chunked", "Transfer-Encoding:\r\n chunked",
        "Transfer-Encoding : chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    ]

    @Test(arguments: badFields)
    func malformedOrAmbiguousFieldsAre400(lines: String) {
        #expect(RequestOutcome.parse("POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n").status == 400)
    }

    /// Around 2^63 and 2^64, where a parser's arithmetic overflows.
    @Test(arguments: [
        "9223372036854775806", "9223372036854775807", "9223372036854775808", "9223372036854775809",
        "9999999999999999999", "10000000000000000000", "18446744073709551615", "18446744073709551616",
        "18446744073709551621", "92233720368547758070", "99999999999999999999", "09223372036854775808",
        String(repeating: "9", count: 400),
    ])
    func overflowingLengthIs400(length: String) {
        #expect(RequestOutcome.parse("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n").status == 400)
    }

    @Test(arguments: ["GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\r\n\n"])
    func bareLineFeedAtEndIs400(head: String) {
        #expect(RequestOutcome.parse(head).status == 400)
    }

    @Test(arguments: [
        "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: GZIP ,\tchunked", "Transfer-Encoding: a, b, chunked",
        "Transfer-Encoding: gzip;q=\"1\", chunked", "Transfer-Encoding: identity, chunked",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
    ])
    func unknownTransferCodingBeforeChunkedIs501(lines: String) {
        #expect(RequestOutcome.parse("POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n").status == 501)
        // HTTP/1.0 has no transfer codings, known or not.
        #expect(RequestOutcome.parse("POST / HTTP/1.0\r\nHost: a\r\n\(lines)\r\n\r\n").status == 400)
    }

    @Test func nonTokenByteInNameIsRefused() {
        for byte in UInt8.min...UInt8.max where !RequestGenerator.tokenBytes.contains(byte) && byte != UInt8(ascii: ":")
        {
            let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX".utf8) + [byte] + Array("Y: 1\r\n\r\n".utf8)
            #expect(RequestOutcome.parse(bytes).status == 400, "\(byte)")
        }
    }

    /// At every distance from a value's start, so that words and rest of the eight-bytes-a-step scan are all met.
    @Test func controlByteInValueIsRefused() {
        let controls = (UInt8(0)..<0x20).filter { $0 != 0x09 } + [0x7f]
        for length in 1...18 {
            for place in 0..<length {
                for byte in controls {
                    var value = [UInt8](repeating: 0xc3, count: length)
                    value[place] = byte
                    let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nA:".utf8) + value + Array("\r\n\r\n".utf8)
                    #expect(RequestOutcome.parse(bytes).status == 400)
                }
            }
        }
    }

    @Test func otherBytesInValueAreAccepted() {
        let allowed = [0x09] + (UInt8(0x20)..<0x7f) + (UInt8(0x80)...0xff)
        for byte in allowed {
            for place in 1..<16 {
                var value = [UInt8](repeating: UInt8(ascii: "v"), count: 17)
                value[place] = byte
                let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nA:".utf8) + value + Array("\r\n\r\n".utf8)
                #expect(RequestOutcome.parse(bytes).reading?.fields.last?.value == value)
            }
        }
    }

    @Test(arguments: ["Content_Length", "content_length", "Transfer_Encoding", "TRANSFER_ENCODING"])
    func aliasOfFramingFieldIs400(name: String) {
        #expect(RequestOutcome.parse("POST / HTTP/1.1\r\nHost: a\r\n\(name): chunked\r\n\r\n").status == 400)
    }

    @Test func missingHostInHTTP11Is400() {
        #expect(RequestOutcome.parse("GET / HTTP/1.1\r\nA: b\r\n\r\n").status == 400)
        #expect(RequestOutcome.parse("GET http://a/ HTTP/1.1\r\n\r\n").status == 400)
    }

    @Test func transferEncodingInHTTP10IsRefused() {
        #expect(RequestOutcome.parse("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").status == 400)
    }

    @Test(arguments: ["200-ok", "100-continue, x", ""])
    func otherExpectationIs417(value: String) {
        #expect(RequestOutcome.parse("PUT / HTTP/1.1\r\nHost: a\r\nExpect: \(value)\r\n\r\n").status == 417)
    }

    // MARK: Limits

    @Test func targetLongerThan8192BytesIs414() {
        let longest = "/" + String(repeating: "a", count: 8191)
        #expect(RequestOutcome.parse("GET \(longest) HTTP/1.1\r\nHost: a\r\n\r\n").reading?.target.count == 8192)
        #expect(RequestOutcome.parse("GET \(longest)a HTTP/1.1\r\nHost: a\r\n\r\n").status == 414)
    }

    @Test func methodLongerThan32BytesIs400() {
        let longest = String(repeating: "M", count: 32)
        #expect(RequestOutcome.parse("\(longest) / HTTP/1.1\r\nHost: a\r\n\r\n").reading?.method.count == 32)
        #expect(RequestOutcome.parse("\(longest)M / HTTP/1.1\r\nHost: a\r\n\r\n").status == 400)
    }

    @Test func headAboveMaximumSizeIs431() {
        let start = "GET / HTTP/1.1\r\nHost: a\r\nA: "
        let room = 1000 - start.utf8.count - 4
        let largest = Array((start + String(repeating: "v", count: room) + "\r\n\r\n").utf8)
        #expect(largest.count == 1000)
        #expect(RequestOutcome.parse(largest, maximumBytes: 1000).reading?.length == 1000)
        #expect(RequestOutcome.parse(largest, maximumBytes: 999).status == 431)
    }

    @Test func incompleteHeadAboveMaximumSizeIsRefused() {
        let endless = Array("GET / HTTP/1.1\r\nHost: a\r\nA: ".utf8) + [UInt8](repeating: 0x76, count: 2000)
        #expect(RequestOutcome.parse(Array(endless[..<999]), maximumBytes: 1000) == .incomplete)
        #expect(RequestOutcome.parse(Array(endless[..<1000]), maximumBytes: 1000).status == 431)
        #expect(RequestOutcome.parse(endless, maximumBytes: 1000).status == 431)
    }

    @Test func moreFieldsThanAllowedAre431() {
        let head = { (count: Int) in
            Array(("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "A: b\r\n", count: count - 1) + "\r\n").utf8)
        }
        #expect(RequestOutcome.parse(head(100)).reading?.fields.count == 100)
        #expect(RequestOutcome.parse(head(101)).status == 431)
        #expect(RequestOutcome.parse(head(3), maximumFields: 2).status == 431)
    }
}
