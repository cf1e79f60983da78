import HTTPCore
import Testing
import UpstreamTestSupport

@testable import Proxy
@testable import Upstream

/// Requests that two recipients could parse differently: one refusal, the connection closed, nothing at a server. There
/// is one of each sort; `RequestHeadRefusalTests` and `RequestHostTests` have them all.
struct FramingRefusalTests {
    private let client: HTTP1ClientConnection
    private let smuggled: [UInt8]

    init() throws {
        client = try HTTP1ClientConnection()
        smuggled = try HTTP1ClientConnection.request()
    }

    /// Expects one response, which is this refusal, and another request to be read only if it is not the last.
    private func expectRefused(_ status: Int, isLast: Bool = true) throws {
        try client.sends(smuggled)
        client.endTurn()
        let responses = try client.responses()
        let first = try #require(responses.first)
        #expect(first.hasPrefix("\(status) ") && first.contains("\"bad_request\""), "\(first)")
        #expect(first.lowercased().contains("\r\nconnection: close\r\n") == isLast)
        #expect(responses.count == 1)
        #expect(client.exchange.upstream.number == (isLast ? 0 : 1))
    }

    @Test(arguments: [
        ("Content-Length: 5\r\nTransfer-Encoding: chunked", 400), ("Content-Length: 5\r\nContent-Length: 5", 400),
        ("Content-Length: 18446744073709551621", 400), ("Transfer-Encoding: chunked, gzip", 400),
        ("Transfer-Encoding: gzip, chunked", 501), ("X-A: b\r\n c", 400), ("X-A : b", 400), ("X-A: b\rX-B: c", 400),
        ("X-A: b\u{0}c", 400), ("Host: other.test", 400),
    ])
    func ambiguousHeadIsRefusedAndConnectionClosed(lines: String, status: Int) throws {
        try client.sends(HTTP1ClientConnection.withoutToken(method: "POST", lines: [lines]) + smuggled)
        try expectRefused(status)
    }

    @Test(arguments: ["GET  /a HTTP/1.1", "GET /a HTTP/1.1\nX-A: b", "\u{16}\u{3}\u{1}\u{2}"])
    func malformedRequestLineIsRefusedAndConnectionClosed(line: String) throws {
        try client.sends(Array("\(line)\r\nHost: app.test\r\n\r\n".utf8) + smuggled)
        try expectRefused(400)
    }

    @Test func ambiguousHeadIsRefusedByteByByte() throws {
        for byte in HTTP1ClientConnection.withoutToken(lines: ["X-A: b\r\n c"]) { try client.sends([byte]) }
        try expectRefused(400)
    }

    /// Its framing is clear.
    @Test(arguments: ["", "user@app.test", "app.test, other.test", "app.test:65536"])
    func invalidHostIsRefusedOnConnectionThatStays(host: String) throws {
        try client.sends(RequestPipeline.request("/a", host: host))
        try expectRefused(400, isLast: false)
    }
}
