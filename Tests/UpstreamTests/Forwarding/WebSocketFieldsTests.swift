import HTTPCore
import Testing

@testable import Upstream

/// Whole heads that request a WebSocket or accept it (RFC 6455 sections 4.2.1 and 4.2.2).
struct WebSocketFieldsTests {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    private static let asking = [
        "Host: a", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: \(key)",
        "Sec-WebSocket-Version: 13",
    ]
    private static let granting = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: \(accept)"]

    private func request(_ lines: [String], version: String = "1.1") throws -> WebSocketFields {
        let bytes = Array((["GET /chat HTTP/\(version)"] + lines + ["", ""]).joined(separator: "\r\n").utf8)
        let head = try #require(RequestHead.reading(bytes))
        return WebSocketFields(head, bytes.span)
    }

    private func grants(_ lines: [String], version: String = "1.1", key: String = key) throws -> Bool {
        let bytes = Array((["HTTP/\(version) 101 Switching"] + lines + ["", ""]).joined(separator: "\r\n").utf8)
        let head = try #require(ResponseHead.reading(bytes))
        return WebSocketFields(head, bytes.span).grants(key: Array(key.utf8))
    }

    @Test func validRequestIsAccepted() throws {
        let fields = try request(Self.asking)
        #expect(fields.switchesToWebSocket)
        #expect(fields.violation == nil)
        #expect(fields.key == Array(Self.key.utf8))
        #expect(try request(Self.asking + ["Connection: keep-alive", "Content-Length: 0"]).violation == nil)
    }

    @Test func requestWithoutBothUpgradeFieldsIsOrdinary() throws {
        #expect(try !request(Self.asking.filter { !$0.hasPrefix("Upgrade") }).switchesToWebSocket)
        #expect(try !request(Self.asking.filter { !$0.hasPrefix("Connection") }).switchesToWebSocket)
        #expect(try !request(Self.asking + ["Upgrade: h2c"]).switchesToWebSocket)
        #expect(try !request(["Upgrade: h2c"] + Self.asking).switchesToWebSocket)
        #expect(try !request(Self.asking, version: "1.0").switchesToWebSocket)
    }

    @Test(arguments: [
        ("Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 8", 426), ("Sec-WebSocket-Version: 13", "X: y", 426),
        ("Sec-WebSocket-Version: 13", "Sec_WebSocket_Version: 13", 426),
        ("Sec-WebSocket-Key: \(key)", "X: y", 400), ("Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Key: abc", 400),
        ("Sec-WebSocket-Key: \(key)", "Sec_WebSocket_Key: \(key)", 400),
        ("Host: a", "Host: a\r\nSec-WebSocket-Key: \(key)", 400), ("Host: a", "Host: a\r\nSec-WebSocket-Key: x", 400),
        ("Host: a", "Host: a\r\nSec-WebSocket-Version: 13", 426), ("Host: a", "Host: a\r\nContent-Length: 1", 400),
        ("Host: a", "Host: a\r\nTransfer-Encoding: chunked", 400),
    ])
    func invalidRequestIsRefused(line: String, replacement: String, status: Int) throws {
        let fields = try request(Self.asking.map { $0 == line ? replacement : $0 })
        #expect(fields.switchesToWebSocket)
        #expect(fields.violation?.status == status)
    }

    @Test func extendedConnectNeedsNoKey() throws {
        let fields = try request(["Host: a", "Sec-WebSocket-Version: 13"])
        #expect(fields.violationWithoutKey == nil)
        #expect(fields.violation?.status == 400)
        #expect(try request(["Host: a"]).violationWithoutKey?.status == 426)
        #expect(try request(["Host: a", "Sec-WebSocket-Version: 13", "Content-Length: 5"]).violationWithoutKey != nil)
    }

    @Test func correctAcceptIsGranted() throws {
        #expect(try grants(Self.granting))
        #expect(
            try grants([
                "upgrade: WebSocket", "connection: keep-alive, upgrade", "SEC-WEBSOCKET-ACCEPT: \(Self.accept)",
            ])
        )
    }

    @Test func otherResponseIsNotGranted() throws {
        for index in Self.granting.indices {
            var lines = Self.granting
            lines.remove(at: index)
            #expect(try !grants(lines))
        }
        #expect(try !grants(Self.granting, version: "1.0"))
        #expect(try !grants(Self.granting, key: "AAAAAAAAAAAAAAAAAAAAAA=="))
        #expect(try !grants(Self.granting + ["Sec-WebSocket-Accept: \(Self.accept)"]))
        #expect(try !grants(Self.granting + ["Upgrade: websocket"]))
        #expect(try !grants([Self.granting[0], Self.granting[1], "Sec_WebSocket_Accept: \(Self.accept)"]))
    }
}
