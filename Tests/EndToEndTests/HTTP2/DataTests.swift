import TestSupport
import Testing

/// Content in DATA frames (RFC 9113 section 6.1).
@Suite struct DataTests {
    @Test func contentMayComeInOneFrameOrInMany() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.http2()
            for count in [1, 2, 7, 100] {
                let stream = try await client.open("/open/x", method: "POST", end: false)
                for number in 0..<count {
                    try await client.send(.data(stream, "piece \(number);", end: number == count - 1))
                }
                let whole = (0..<count).map { "piece \($0);" }.joined()
                #expect(try await client.answer(on: stream).body.text == whole)
            }
        }
    }

    @Test func paddingIsNoContent() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            try await client.send(
                .data(stream, "a", padding: 0),
                .data(stream, "b", padding: 1),
                .data(stream, "", padding: 255),
                .data(stream, "c", end: true, padding: 100)
            )
            #expect(try await client.answer(on: stream).body.text == "abc")
        }
    }

    /// Padding counts for flow control; if it were not given back, the windows would run dry.
    @Test func paddingIsGivenBackToTheWindows() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            let body = [UInt8](repeating: 7, count: 2000)
            try await client.sendBody(body, on: stream, pieces: 1, padding: 255)
            #expect(try await client.answer(on: stream).body.bytes == body)
        }
    }

    @Test func anEmptyFrameMayEndTheRequest() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", body: Array("hello".utf8), end: false)
            try await client.send(.data(stream, ""), .data(stream, "", end: true))
            #expect(try await client.answer(on: stream).body.text == "hello")
        }
    }

    @Test func dataOfTheConnectionIsAConnectionError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            _ = try await client.open("/open/x", method: "POST", end: false)
            try await client.send(.data(0, "x", end: true))
            try await client.expectConnectionError(.protocolError)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func paddingThatFillsTheFrameIsAConnectionError() async throws {
        try await withGateway { fixture async throws in
            for payload in [[5, 0, 0, 0, 0], [255, 1], [1]] as [[UInt8]] {
                let client = try await fixture.http2()
                let stream = try await client.open("/open/x", method: "POST", end: false)
                let flags: FrameFlags = [.padded, .endStream]
                try await client.send(HTTP2Frame(type: .data, flags: flags, stream: stream, payload: payload))
                try await client.expectConnectionError(.protocolError, comment: "\(payload)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func aPaddedFrameWithoutALengthOfItsPaddingIsAConnectionError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            try await client.send(HTTP2Frame(type: .data, flags: [.padded, .endStream], stream: stream))
            try await client.expectConnectionError(.protocolError, .frameSizeError)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func aLargeBodyPassesWhole() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            var generator = SplitMix64(seed: 61)
            let body = generator.variedBytes(3 << 20)
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", body: body)
            let answer = try await client.answer(on: stream)
            let same = answer.body.bytes == body
            #expect(same)
        }
    }
}
