import TestSupport
import Testing

/// Random valid and invalid frames from fixed seeds: the connection ends, backends see nothing ambiguous, and other
/// clients are served.
@Suite struct FrameFuzzTests {
    private static let names = [
        "x-a", "cookie", "te", "host", "content-length", "connection", ":path", ":x", "X-Upper", "trailer", "expect",
    ]
    private static let values = ["1", "", "5", "trailers", "app.test", "a\r\nb: c", "100-continue", "/open/y", "a=b"]
    private static let types: [FrameType] = [
        .data, .data, .data, .headers, .headers, .headers, .priority, .resetStream, .settings, .pushPromise, .ping,
        .goAway, .windowUpdate, .windowUpdate, .continuation, .unknown,
    ]

    private static func frame(_ generator: inout SplitMix64, _ turn: Int) -> HTTP2Frame {
        let type = types.randomElement(using: &generator) ?? .data
        let near = Int.random(in: 0...3, using: &generator)
        var frame = HTTP2Frame(type: type, stream: turn | 1)
        if near == 0 { frame.stream = Int.random(in: 0...turn + 4, using: &generator) }
        switch type {
        case .headers, .continuation:
            frame.payload = block(&generator).bytes
            frame.flags = Int.random(in: 0...9, using: &generator) == 0 ? [] : .endHeaders
            if Bool.random(using: &generator) { frame.flags.insert(.endStream) }
        case .settings:
            frame.stream = 0
            let parameter = Int.random(in: 0...9, using: &generator)
            frame.payload =
                HTTP2Setting(parameter: parameter, value: Int.random(in: 0...70_000, using: &generator)).bytes
        case .ping, .goAway:
            frame.stream = 0
            frame.payload = [UInt8](repeating: 0, count: 8)
        case .priority: frame.payload = [UInt8](repeating: 0, count: 5)
        case .resetStream, .windowUpdate: frame.payload = Int.random(in: 0...100_000, using: &generator).bigEndian(4)
        default:
            frame.payload = generator.variedBytes(Int.random(in: 0...2000, using: &generator))
            if Bool.random(using: &generator) { frame.flags.insert(.endStream) }
        }
        if Int.random(in: 0...30, using: &generator) == 0 {
            frame.flags = FrameFlags(rawValue: UInt8.random(in: 0...255, using: &generator))
        }
        if Int.random(in: 0...40, using: &generator) == 0 { frame.payload = Array(frame.payload.dropLast()) }
        return frame
    }

    private static func block(_ generator: inout SplitMix64) -> HeaderBlock {
        var fields = HTTP2Client.fields("/open/x", method: Bool.random(using: &generator) ? "POST" : "GET")
        for _ in 0..<Int.random(in: 0...2, using: &generator) where Int.random(in: 0...3, using: &generator) == 0 {
            let name = names.randomElement(using: &generator) ?? "x-a"
            fields.append((name, values.randomElement(using: &generator) ?? ""))
        }
        return HeaderBlock(fields: fields)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func randomFramesAreHarmless(seed: UInt64) async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            var generator = SplitMix64(seed: seed)
            for _ in 0..<40 {
                let client = try await fixture.http2()
                let frames = (0..<Int.random(in: 1...60, using: &generator)).map { Self.frame(&generator, $0) }
                let bytes = frames.flatMap { $0.bytes() }
                // At once, or cut where no frame ends.
                let cut = Int.random(in: 0...bytes.count, using: &generator)
                _ = try? await client.sendRaw(Array(bytes[..<cut]))
                _ = try? await client.sendRaw(Array(bytes[cut...]))
                _ = try? await client.raw.closeOutput()
                try await client.raw.untilClosed()
                await client.raw.close()
            }
            try await fixture.http2().expectAlive()
            #expect(try await fixture.request("/open/canary").status == 200)
            for request in fixture.backend.requests {
                #expect(["/open/x", "/open/canary"].contains(request.target))
                #expect(request.fields["Host"] == ["app.test"])
                #expect(request.fields["b"] == [])
            }
        }
    }
}
