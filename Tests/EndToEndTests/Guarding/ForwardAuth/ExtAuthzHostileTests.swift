import TestSupport
import Testing
import Verification

/// Hostile traffic on the ext_authz listener.
@Suite struct ExtAuthzHostileTests {
    private static let method = "/envoy.service.auth.v3.Authorization/Check"
    private static let call = [("content-type", "application/grpc"), ("te", "trailers")]

    private static func setup(trusting proxies: String) -> GatewaySetup {
        GatewaySetup(gateway: "ext_authz: { address: \"127.0.0.1:0\" }\ntrusted_proxies: [\(proxies)]")
    }

    private func raw(_ fixture: GatewayFixture) async throws -> RawClient {
        let address = try #require(fixture.extAuthzAddress)
        return fixture.keep(RawClient(try await Wire.connect(to: address)))
    }

    private func connect(_ fixture: GatewayFixture) async throws -> HTTP2Client {
        let client = HTTP2Client(try await raw(fixture))
        try await client.sendRaw(HTTP2Client.preface)
        try await client.send(.settings())
        return client
    }

    private func ask(
        _ client: HTTP2Client,
        _ message: [UInt8],
        path: String = method,
        fields: [(String, String)] = call
    ) async throws -> HTTP2Outcome {
        let stream = try await client.open(
            path,
            method: "POST",
            authority: "gatehouse",
            fields: fields,
            body: CheckRequestMessage.framed(message)
        )
        return try await client.outcome(of: stream, method: "POST")
    }

    /// Whether Envoy would grant the request. A call that ends without OK grants nothing.
    private func isGranted(_ outcome: HTTP2Outcome) -> Bool {
        guard case .response(let response) = outcome else { return false }
        let status = response.body.trailers["grpc-status"].first ?? response.fields["grpc-status"].first
        // The message begins with an empty google.rpc.Status, which is OK.
        return response.status == 200 && status == "0" && response.body.bytes.dropFirst(5).starts(with: [0x0a, 0x00])
    }

    private func expectItStillDecides(_ fixture: GatewayFixture, _ token: String) async throws {
        let client = try await connect(fixture)
        let good = CheckRequestMessage(fields: [("authorization", "Bearer \(token)")])
        #expect(isGranted(try await ask(client, good.bytes)))
        #expect(!isGranted(try await ask(client, CheckRequestMessage().bytes)))
        await client.raw.close()
    }

    // MARK: Connections

    @Test func untrustedConnectionsOverLimitAreClosedUnanswered() async throws {
        try await withGateway(Self.setup(trusting: "192.0.2.0/24")) { fixture async throws in
            var held: [HTTP2Client] = []
            for _ in 0..<16 {
                let client = try await connect(fixture)
                guard case .settings? = try await client.event(on: 0) else {
                    Issue.record("no answer")
                    return
                }
                held.append(client)
            }
            for _ in 0..<24 {
                let client = try await raw(fixture)
                // The write may fail, as the connection has ended.
                try? await client.send(HTTP2Client.preface)
                #expect(try await client.untilClosed().isEmpty)
            }
            let refused = try await ask(held[0], CheckRequestMessage().bytes)
            #expect(Self.status(refused) == "7", "PERMISSION_DENIED")
            for client in held { await client.raw.close() }
            try await until("there is room again") {
                let client = try await connect(fixture)
                let event = try? await client.event(on: 0)
                await client.raw.close()
                if case .settings? = event { return true }
                return false
            }
        }
    }

    private static func status(_ outcome: HTTP2Outcome) -> String? {
        guard case .response(let response) = outcome else { return nil }
        return response.body.trailers["grpc-status"].first ?? response.fields["grpc-status"].first
    }

    // MARK: Bytes

    @Test func garbageEndsOnlyItsConnection() async throws {
        try await withGateway(Self.setup(trusting: "127.0.0.1/32")) { fixture async throws in
            let token = try fixture.token(["iss": "https://secret.test"])
            var random = SplitMix64(seed: 0x6578_7461)
            for round in 0..<60 {
                let client = try await raw(fixture)
                // The write may fail, as the connection may have ended.
                try? await client.send(Self.garbage(round % 10, &random))
                if round % 20 == 19 { try await expectItStillDecides(fixture, token) }
                await client.close()
            }
            try await expectItStillDecides(fixture, token)
        }
    }

    private static func garbage(_ kind: Int, _ random: inout SplitMix64) -> [UInt8] {
        let start = HTTP2Client.preface + HTTP2Frame.settings().bytes()
        switch kind {
        case 0: return random.bytes(512)
        case 1: return HTTP2Client.preface + random.bytes(512)
        case 2:
            var bytes = start
            for _ in 0..<20 { bytes += frame(&random) }
            return bytes
        // A message that is none.
        case 3: return start + whole(CheckRequestMessage.framed(random.bytes(200)), end: true)
        // A length without a message.
        case 4: return start + whole([0, 0xff, 0xff, 0xff, 0xff] + random.bytes(100), end: false)
        // An unknown compression.
        case 5: return start + whole([1, 0, 0, 0, 8] + random.bytes(8), end: true)
        default: return start + flood(kind, &random)
        }
    }

    private static var head: HeaderBlock {
        HeaderBlock(fields: HTTP2Client.fields(method, method: "POST", authority: "gatehouse", fields: call))
    }

    private static func whole(_ body: [UInt8], end: Bool) -> [UInt8] {
        HTTP2Frame.headers(1, head, end: false).bytes() + HTTP2Frame.data(1, body, end: end).bytes()
    }

    private static func flood(_ kind: Int, _ random: inout SplitMix64) -> [UInt8] {
        var bytes: [UInt8] = []
        switch kind {
        // More streams than are allowed, none of which ends.
        case 6:
            for number in 0..<200 { bytes += HTTP2Frame.headers(2 * number + 1, head, end: false).bytes() }
        // Opened and reset.
        case 7:
            for number in 0..<100 {
                bytes += HTTP2Frame.headers(2 * number + 1, head, end: false).bytes()
                bytes += HTTP2Frame.reset(2 * number + 1).bytes()
            }
        // A field section without an end.
        case 8:
            let piece = HeaderBlock(fields: [("x-long", String(repeating: "a", count: 1000))])
            bytes += HTTP2Frame.headers(1, head, complete: false).bytes()
            for _ in 0..<100 { bytes += HTTP2Frame.continuation(1, piece, complete: false).bytes() }
        default:
            for _ in 0..<500 { bytes += HTTP2Frame.ping(random.bytes(8)).bytes() }
        }
        return bytes
    }

    private static func frame(_ random: inout SplitMix64) -> [UInt8] {
        let length = Int.random(in: 0..<64, using: &random)
        return HTTP2Frame(
            type: FrameType(rawValue: UInt8.random(in: 0...12, using: &random)),
            flags: FrameFlags(rawValue: UInt8.random(in: 0...255, using: &random)),
            stream: Int.random(in: 0..<8, using: &random),
            payload: random.bytes(length)
        ).bytes()
    }

    // MARK: Questions

    @Test func oversizedMessageIsRefusedAndConnectionContinues() async throws {
        try await withGateway(Self.setup(trusting: "127.0.0.1/32")) { fixture async throws in
            let token = try fixture.token(["iss": "https://secret.test"])
            let client = try await connect(fixture)
            let long = CheckRequestMessage(
                fields: [("authorization", "Bearer \(token)"), ("x-long", String(repeating: "a", count: 1 << 20))]
            )
            #expect(!isGranted(try await ask(client, long.bytes)))
            try await expectItStillDecides(fixture, token)
        }
    }

    /// With a valid token: inconsistent queries are not granted.
    @Test func inconsistentDecisionQueriesAreNotGranted() async throws {
        try await withGateway(Self.setup(trusting: "127.0.0.1/32")) { fixture async throws in
            let token = try fixture.token(["iss": "https://secret.test"])
            let good = ("authorization", "Bearer \(token)")
            let questions = [
                CheckRequestMessage(path: "/open/x", fields: [good, (":path", "/x")]),
                CheckRequestMessage(path: "/x", fields: [good, (":path", "/open/x")]),
                CheckRequestMessage(fields: [good, (":method", "POST")]),
                CheckRequestMessage(fields: [good, (":authority", "other.test")]),
                CheckRequestMessage(fields: [good, ("host", "other.test")]),
                CheckRequestMessage(fields: [good, ("HOST", "other.test")]),
                CheckRequestMessage(fields: [good, (":unknown", "x")]),
                CheckRequestMessage(fields: [good, ("AUTHORIZATION", "Bearer other")]),
                CheckRequestMessage(fields: [good, ("x\r\ny", "z")]),
                CheckRequestMessage(fields: [good, ("x", "y\r\nz: a")]),
                CheckRequestMessage(fields: [good, ("x y", "z")]),
                CheckRequestMessage(fields: [good, ("", "z")]),
                CheckRequestMessage(fields: [good, ("x", "a\0b")]),
                CheckRequestMessage(path: "x", fields: [good]),
                CheckRequestMessage(path: "http://app.test/x", fields: [good]),
                CheckRequestMessage(path: "/x y", fields: [good]),
                CheckRequestMessage(path: "/x\r\n", fields: [good]),
                CheckRequestMessage(path: "/a/../x", fields: [good]),
                CheckRequestMessage(host: "app.test\r\nX-A: b", fields: [good]),
                CheckRequestMessage(host: "", fields: [good]),
                CheckRequestMessage(method: "GET /x HTTP/1.1\r\n", fields: [good]),
            ]
            let client = try await connect(fixture)
            for question in questions {
                #expect(!isGranted(try await ask(client, question.bytes)), "\(question)")
            }
            #expect(isGranted(try await ask(client, CheckRequestMessage(fields: [good]).bytes)))
            // Another spelling of the same field.
            let spelled = CheckRequestMessage(fields: [("AuThOrIzAtIoN", good.1)])
            #expect(isGranted(try await ask(client, spelled.bytes)))
        }
    }

    @Test func callsThatAreNotDecisionQueriesAreRefused() async throws {
        try await withGateway(Self.setup(trusting: "127.0.0.1/32")) { fixture async throws in
            let token = try fixture.token(["iss": "https://secret.test"])
            let good = CheckRequestMessage(fields: [("authorization", "Bearer \(token)")]).bytes
            let client = try await connect(fixture)
            for path in ["/", "/envoy.service.auth.v3.Authorization/check", "/Check", Self.method + "/x"] {
                #expect(!isGranted(try await ask(client, good, path: path)), "\(path)")
            }
            #expect(!isGranted(try await ask(client, good, fields: [("content-type", "text/plain")])))
            #expect(!isGranted(try await ask(client, [])))
            try await expectItStillDecides(fixture, token)
        }
    }
}

/// `envoy.service.auth.v3.CheckRequest`, encoded by hand so that it may be invalid.
private struct CheckRequestMessage {
    var method = "GET"
    var path = "/x"
    var host = "app.test"
    var fields: [(String, String)] = []

    var bytes: [UInt8] {
        let address = Self.field(1, Self.field(1, Self.field(2, Array("203.0.113.7".utf8))))
        var http = Self.field(2, Array(method.utf8))
        for (name, value) in fields {
            http += Self.field(3, Self.field(1, Array(name.utf8)) + Self.field(2, Array(value.utf8)))
        }
        http += Self.field(4, Array(path.utf8)) + Self.field(5, Array(host.utf8))
        http += Self.field(6, Array("https".utf8)) + Self.field(10, Array("HTTP/2".utf8))
        return Self.field(1, Self.field(1, address) + Self.field(4, Self.field(2, http)))
    }

    /// With the gRPC message prefix of five bytes: uncompressed, and its length.
    static func framed(_ message: [UInt8]) -> [UInt8] {
        let length = UInt32(truncatingIfNeeded: message.count)
        return [0] + withUnsafeBytes(of: length.bigEndian) { Array($0) } + message
    }

    private static func field(_ number: UInt8, _ value: [UInt8]) -> [UInt8] {
        var length = value.count
        var bytes: [UInt8] = [number << 3 | 2]
        while length > 127 {
            bytes.append(UInt8(length & 127) | 128)
            length >>= 7
        }
        return bytes + [UInt8(length)] + value
    }
}
