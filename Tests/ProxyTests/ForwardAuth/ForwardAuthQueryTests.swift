import HTTPCore
import NIOCore
import TestSupport
import Testing
import UpstreamTestSupport

@testable import Proxy

/// How a decision query becomes the head of the request that it describes.
@Suite struct ForwardAuthQueryTests {
    private static let told = [
        "X-Forwarded-Method: PUT", "X-Forwarded-Host: app.test", "X-Forwarded-Uri: /orders/7?x=1",
    ]

    /// The request that a decision query describes; nil if it is not a decision query.
    private static func asked(_ request: [UInt8]) throws -> Result<RequestReading, HTTPViolation>? {
        let head = RequestHead()
        let parser = RequestHeadParser(maximumBytes: 32 << 10, maximumFields: 100)
        guard parser.parse(request.span, into: head) == .complete else {
            Issue.record("the question is malformed")
            return nil
        }
        guard let question = ForwardAuthQuery(head, request.span) else { return nil }
        var out = ByteBuffer()
        do throws(HTTPViolation) {
            try question.write(head, request.span, to: &out)
        } catch {
            return .failure(error)
        }
        let bytes = Array(out.readableBytesView)
        let reading = try #require(RequestOutcome.parse(bytes).reading)
        #expect(reading.length == bytes.count)
        return .success(reading)
    }

    private static func ask(
        _ target: String = "/.gatehouse/auth",
        method: String = "GET",
        lines: [String] = told
    ) throws -> Result<RequestReading, HTTPViolation>? {
        try asked(RequestPipeline.request(target, method: method, host: "gatehouse.internal", lines: lines))
    }

    private static func refusal(_ lines: [String]) throws -> String? {
        guard case .failure(let violation)? = try ask(lines: lines) else { return nil }
        #expect(violation.status == 400)
        return violation.reason.description
    }

    @Test func fieldsDescribeRequest() throws {
        for target in ["/.gatehouse/auth", "/.gatehouse/auth?", "/.gatehouse/auth?access_token=other"] {
            let reading = try #require(try Self.ask(target)).get()
            #expect(reading.method == Array("PUT".utf8))
            #expect(reading.target == Array("/orders/7?x=1".utf8))
            #expect(reading.values("Host") == ["app.test"])
        }
    }

    @Test func pathDescribesRequestWithoutQuery() throws {
        for (target, path) in [
            ("/.gatehouse/auth/", "/"), ("/.gatehouse/auth/orders/7", "/orders/7"), ("/.gatehouse/auth//a", "//a"),
            ("/.gatehouse/auth/orders?access_token=t", "/orders"), ("/.gatehouse/auth/?x", "/"),
        ] {
            let reading = try #require(try Self.ask(target, method: "DELETE")).get()
            #expect(reading.method == Array("DELETE".utf8))
            #expect(reading.target == Array(path.utf8), "\(target)")
            #expect(reading.values("Host") == ["gatehouse.internal"])
        }
    }

    @Test func otherPathsAreNotQueries() throws {
        for target in [
            "/", "/.gatehouse", "/.gatehouse/", "/.gatehouse/aut", "/.gatehouse/authz", "/.gatehouse/auth;x", "/x",
            "/%2egatehouse/auth", "/.gatehouse/%61uth", "//.gatehouse/auth", "/x/../.gatehouse/auth",
            "/.Gatehouse/auth", "http://app.test/.gatehouse/auth", "/app/.gatehouse/auth",
        ] {
            #expect(try Self.ask(target) == nil, "\(target)")
        }
    }

    @Test func missingFieldIsNamed() throws {
        for name in ["X-Forwarded-Method", "X-Forwarded-Host", "X-Forwarded-Uri"] {
            let others = Self.told.filter { !$0.hasPrefix(name) }
            for lines in [others, others + ["\(name):"], others + ["\(name.replacing("-", with: "_")): /x"]] {
                let reason = try #require(try Self.refusal(lines))
                #expect(reason.hasPrefix("\(name) is missing: have the proxy set it"))
            }
        }
    }

    @Test func repeatedFieldIsRefused() throws {
        for line in Self.told {
            let name = String(line.prefix { $0 != ":" })
            #expect(try Self.refusal(Self.told + [line]) == "there are several \(name) headers")
        }
    }

    @Test func ambiguousQueryIsRefused() throws {
        let cases = [
            ("X-Forwarded-Method", "GET PUT"), ("X-Forwarded-Method", "GET /open HTTP/1.1"),
            ("X-Forwarded-Method", "G,P"),
            ("X-Forwarded-Host", "app.test, other.test"), ("X-Forwarded-Host", "app.test,"),
            ("X-Forwarded-Uri", "http://other.test/orders"), ("X-Forwarded-Uri", "orders"),
            ("X-Forwarded-Uri", "/open HTTP/1.1"), ("X-Forwarded-Uri", "/a\tb"), ("X-Forwarded-Uri", "/caf\u{e9}"),
            ("X-Forwarded-Uri", "/a#b"), ("X-Forwarded-Uri", "*x"), ("X-Forwarded-Uri", "?x"),
        ]
        for (name, value) in cases {
            let others = Self.told.filter { !$0.hasPrefix(name) }
            #expect(try Self.refusal(others + ["\(name): \(value)"]) != nil, "\(name): \(value)")
        }
    }

    @Test func otherFieldsAreKeptWithoutHopByHopFields() throws {
        let reading = try #require(
            try Self.ask(
                lines: Self.told + [
                    "Authorization: Bearer t", "Cookie: a=b", "X-Forwarded-For: 203.0.113.9",
                    "X-Forwarded-Proto: https", "X-Forwarded-Port: 443", "X_Forwarded_For: 1.2.3.4",
                    "Origin: https://app.test", "Content-Length: 0", "Connection: keep-alive, Origin", "TE: trailers",
                    "Proxy-Authorization: x", "Upgrade: h2c", "X-A: 1", "X-A: 2",
                ]
            )
        ).get()
        #expect(
            reading.names == [
                "host", "authorization", "cookie", "x-forwarded-for", "x-forwarded-proto", "origin",
                // These mark a WebSocket handshake.
                "upgrade", "x-a", "x-a",
            ]
        )
        #expect(reading.values("X-Forwarded-For") == ["203.0.113.9"])
        #expect(reading.framing == .none)
    }

    @Test func webSocketHandshakeIsRecognized() throws {
        let lines = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
        let reading = try #require(try Self.ask(lines: Self.told + lines)).get()
        #expect(reading.names == ["host", "upgrade", "sec-websocket-key"])
    }

    @Test func fieldsCannotInjectLines() throws {
        var random = SplitMix64(seed: 7)
        var good = 0
        for _ in 0..<3000 {
            let length = Int.random(in: 0..<12, using: &random)
            let text = (0..<length).map { _ in Self.bytes.randomElement(using: &random) ?? 0x2f }
            let names = ["X-Forwarded-Method", "X-Forwarded-Host", "X-Forwarded-Uri"]
            let name = names.randomElement(using: &random) ?? names[0]
            let others = Self.told.filter { !$0.hasPrefix(name) }.map { $0 + "\r\n" }.joined()
            let start = name == "X-Forwarded-Uri" ? "/" : ""
            var request = Array("GET /.gatehouse/auth HTTP/1.1\r\nHost: h\r\n\(others)\(name): \(start)".utf8) + text
            request += Array("\r\nX-Last: 1\r\n\r\n".utf8)
            guard RequestOutcome.parse(request).reading != nil,
                case .success(let reading)? = try Self.asked(request)
            else { continue }
            good += 1
            #expect(reading.names == ["host", "x-last"])
            #expect(reading.isClean)
        }
        #expect(good > 300)
    }

    private static let bytes: [UInt8] = Array("/a.:?%2e* \t,;#\\@GET".utf8) + [0x80, 0xff, 0x01, 0x7f]
}
