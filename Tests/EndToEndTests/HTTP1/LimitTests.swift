import TestSupport
import Testing

/// Limits on requests.
@Suite struct LimitTests {
    /// `RequestHeadRefusalTests` and `ChunkedDecoderTests` have the bounds to the byte.
    @Test func oversizedHeadIsRefusedAndConnectionClosed() async throws {
        func text(_ count: Int) -> String { String(repeating: "a", count: count) }
        let setup = GatewaySetup(gateway: "limits: { header_bytes: 12KiB, headers: 20 }")
        try await withGateway(setup) { fixture async throws in
            let fields = { (count: Int) in (0..<count).map { "X-\($0): 1" } }
            #expect(try await fixture.request("/open/" + text(8000)).status == 200)
            #expect(try await fixture.request("/open/x", fields: ["X-A: \(text(9000))"]).status == 200)
            #expect(try await fixture.request("/open/x", fields: fields(15)).status == 200)
            let chunked = fixture.head("/open/x", method: "POST", fields: ["Transfer-Encoding: chunked"])
            let large = [
                (fixture.head("/open/" + text(8192)), 414), (fixture.head("/open?" + text(8192)), 414),
                (fixture.head("/open/x", fields: ["X-A: \(text(13_000))"]), 431),
                (fixture.head("/open/x", fields: ["\(text(13_000)): 1"]), 431),
                (fixture.head("/open/x", fields: fields(30)), 431), (chunked + "0\r\nX-T: \(text(20_000))", 431),
            ]
            for (index, (head, status)) in large.enumerated() {
                let client = try await fixture.connect()
                // Heads have no refusal code of their own.
                expectRefusal(try await client.request(head), status, "bad_request", "\(index)")
                try await client.untilClosed()
            }
            #expect(fixture.backend.requests.count == 3)
        }
    }

    private static let smallBodies = GatewaySetup(tenant: "limits: { body_bytes: 1KiB }")

    @Test func lengthOverBodyLimitIsRefusedAtOnce() async throws {
        try await withGateway(Self.smallBodies) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x", method: "POST", fields: ["Content-Length: 1025"]))
            expectRefusal(try await client.response(to: "POST"), 413, "payload_too_large")
            #expect(fixture.backend.requests.isEmpty)
            #expect(fixture.backend.heads.takeReady() == nil)
        }
    }

    @Test func chunkedBodyOverLimitIsRefused() async throws {
        try await withGateway(Self.smallBodies) { fixture async throws in
            let client = try await fixture.connect()
            let head = fixture.head("/open/x", method: "POST", fields: ["Transfer-Encoding: chunked"])
            let chunk = "200\r\n" + String(repeating: "a", count: 512) + "\r\n"
            try await client.send(head + chunk + chunk + chunk + "0\r\n\r\n")
            expectRefusal(try await client.response(to: "POST"), 413, "payload_too_large")
            try await client.untilClosed()
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func bodyAtLimitPasses() async throws {
        try await withGateway(Self.smallBodies) { fixture async throws in
            let body = String(repeating: "a", count: 1024)
            let counted = fixture.head("/open/x", method: "POST", fields: ["Content-Length: 1024"]) + body
            #expect(try await fixture.send(counted, method: "POST").status == 200)
            let head = fixture.head("/open/x", method: "POST", fields: ["Transfer-Encoding: chunked"])
            #expect(try await fixture.send(head + "400\r\n\(body)\r\n0\r\n\r\n", method: "POST").status == 200)
            #expect(fixture.backend.requests.map(\.body.bytes.count) == [1024, 1024])
        }
    }
}
