import HTTPCore
import NIOCore
import TestSupport
import Testing
import Time

@testable import Proxy

/// The head that the client gets of the backend's response.
struct ClientHeadWriterTests {
    private func write(
        _ lines: String,
        clientMinorVersion: Int = 1,
        stays: Bool = true,
        answeringHead: Bool = false
    ) throws -> String {
        let bytes = Array((lines + "\r\n").utf8)
        let head = ResponseHead()
        try #require(ResponseOutcome.parse(bytes, into: head).reading != nil)
        let delivery = ClientHeadWriter.Delivery(
            head.framing(answeringHead: answeringHead),
            clientMinorVersion: clientMinorVersion
        )
        var out = ByteBuffer()
        ClientHeadWriter.write(
            head,
            bytes.span,
            delivery,
            .init(minorVersion: clientMinorVersion, stays: stays),
            date: Array("TODAY".utf8),
            fields: [],
            to: &out
        )
        return String(buffer: out)
    }

    @Test func responseKeepsFraming() throws {
        let expected = "HTTP/1.1 200 OK\r\nX: 1\r\nDate: then\r\nContent-Length: 5\r\n\r\n"
        #expect(try write("HTTP/1.1 200 OK\r\nX: 1\r\ncontent-length: 05\r\nDate: then\r\n") == expected)
    }

    @Test func missingDateIsAdded() throws {
        #expect(try write("HTTP/1.1 304 \r\n") == "HTTP/1.1 304 \r\nDate: TODAY\r\n\r\n")
    }

    @Test func versionAndReasonAreRewritten() throws {
        #expect(try write("HTTP/1.0 299 Odd one\r\nContent-Length: 0\r\n").hasPrefix("HTTP/1.1 299 Odd one\r\n"))
        #expect(try write("HTTP/1.1 204\r\n").hasPrefix("HTTP/1.1 204 \r\n"))
    }

    @Test(arguments: [
        "Connection: close", "Keep-Alive: 5", "Proxy-Authenticate: x", "Transfer-Encoding: chunked", "Upgrade: h2c",
        "Connection: x-hop\r\nX-Hop: 1", "TE: x", "X-Hop: 1\r\nConnection: q, X_HOP",
    ])
    func hopByHopFieldsAreDropped(lines: String) throws {
        let written = try write("HTTP/1.1 200 OK\r\nA: 1\r\n\(lines)\r\nB: 2\r\nDate: d\r\n", answeringHead: true)
        #expect(written == "HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\nDate: d\r\n\r\n")
    }

    @Test func bodyOfUnknownLengthIsChunkedOrCloseDelimited() throws {
        for line in ["Transfer-Encoding: chunked\r\n", ""] {
            let head = "HTTP/1.1 200 OK\r\nDate: d\r\n\(line)"
            #expect(try write(head) == "HTTP/1.1 200 OK\r\nDate: d\r\nTransfer-Encoding: chunked\r\n\r\n")
            #expect(
                try write(head, clientMinorVersion: 0, stays: false)
                    == "HTTP/1.1 200 OK\r\nDate: d\r\nConnection: close\r\n\r\n"
            )
        }
    }

    @Test func connectionIsWrittenIfNotDefault() throws {
        let head = "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 0\r\nConnection: keep-alive\r\n"
        let start = "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 0\r\n"
        #expect(try write(head) == start + "\r\n")
        #expect(try write(head, stays: false) == start + "Connection: close\r\n\r\n")
        #expect(try write(head, clientMinorVersion: 0) == start + "Connection: keep-alive\r\n\r\n")
        #expect(try write(head, clientMinorVersion: 0, stays: false) == start + "Connection: close\r\n\r\n")
    }

    @Test func lengthIsKeptForHeadAnd304ButNotFor204() throws {
        let lines = "Date: d\r\nContent-Length: 7\r\n"
        #expect(try write("HTTP/1.1 200 OK\r\n\(lines)", answeringHead: true).contains("Content-Length: 7\r\n"))
        #expect(try write("HTTP/1.1 304 N\r\n\(lines)").contains("Content-Length: 7\r\n"))
        #expect(try !write("HTTP/1.1 204 N\r\n\(lines)").contains("Content-Length"))
    }

    @Test func interimResponseHasNoFraming() {
        let bytes = Array(
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\nContent-Length: 3\r\nConnection: y\r\nY: 1\r\n\r\n".utf8
        )
        let head = ResponseHead()
        #expect(ResponseOutcome.parse(bytes, into: head).reading != nil)
        var out = ByteBuffer()
        ClientHeadWriter.writeInterim(head, bytes.span, to: &out)
        #expect(String(buffer: out) == "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")
    }

    @Test func deliveryFollowsFramingAndVersion() {
        for framing in [ResponseFraming.none, .length(3)] {
            for version in 0...1 {
                let delivery = ClientHeadWriter.Delivery(framing, clientMinorVersion: version)
                #expect(!delivery.isChunked && !delivery.isCloseDelimited)
            }
        }
        for framing in [ResponseFraming.chunked, .untilClose] {
            #expect(ClientHeadWriter.Delivery(framing, clientMinorVersion: 1).isChunked)
            #expect(ClientHeadWriter.Delivery(framing, clientMinorVersion: 0).isCloseDelimited)
        }
    }

    /// Random field lines: the output parses strictly and has one framing.
    @Test func forwardedResponseParsesStrictly() throws {
        var random = SplitMix64(seed: 90)
        let lines = [
            "A: 1", "Connection: a, close", "Connection: keep-alive", "Date: d", "Set-Cookie: a=b", "Content_Length: 9",
            "Keep-Alive: 5", "Upgrade: x", "Transfer_Encoding: chunked", "B:",
        ]
        for _ in 0..<2000 {
            let framing = random.pick(["Content-Length: 4", "Transfer-Encoding: chunked", "C: d"])
            let all = ((0..<random.below(6)).map { _ in random.pick(lines) } + [framing]).shuffled(using: &random)
            let written = try write("HTTP/1.1 200 OK\r\n" + all.map { $0 + "\r\n" }.joined(), stays: random.oneIn(2))
            let reading = try #require(ResponseOutcome.parse(written).reading)
            #expect(reading.length == written.utf8.count)
            #expect(reading.isChunked == (framing != "Content-Length: 4"))
            #expect(reading.contentLength == (framing == "Content-Length: 4" ? 4 : nil))
        }
    }
}
