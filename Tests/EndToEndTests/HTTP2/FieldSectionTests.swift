import Testing

/// Field sections in HEADERS and CONTINUATION frames (RFC 9113 sections 4.3, 6.2 and 6.10).
@Suite struct FieldSectionTests {
    private static let block = HeaderBlock(fields: HTTP2Client.fields("/open/x", fields: [("x-a", "b")]))

    /// HEADERS without END_HEADERS, then the rest in pieces.
    private static func frames(_ stream: Int, _ block: HeaderBlock, pieces length: Int) -> [HTTP2Frame] {
        let pieces = block.pieces(length)
        return pieces.enumerated().map { number, piece in
            let complete = number == pieces.count - 1
            return number == 0
                ? .headers(stream, piece, complete: complete) : .continuation(stream, piece, complete: complete)
        }
    }

    @Test func aFieldSectionMayBeCutAnywhere() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            for length in [7, 19, 40, Self.block.bytes.count - 1] {
                let stream = await client.newStream()
                try await client.send(Self.frames(stream, Self.block, pieces: length))
                #expect(try await client.answer(on: stream).status == 200, "pieces of \(length)")
            }
            #expect(fixture.backend.requests.map { $0.fields["x-a"] } == Array(repeating: ["b"], count: 4))
        }
    }

    @Test func emptyPiecesAreTaken() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = await client.newStream()
            try await client.send(
                .headers(stream, HeaderBlock(), complete: false),
                .continuation(stream, Self.block, complete: false),
                .continuation(stream, HeaderBlock())
            )
            #expect(try await client.answer(on: stream).status == 200)
        }
    }

    @Test func endStreamInHeadersCountsThoughContinuationsFollow() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = await client.newStream()
            try await client.send(Self.frames(stream, Self.block, pieces: 30))
            #expect(try await client.answer(on: stream).status == 200)
            #expect(fixture.backend.requests.map(\.body.bytes) == [[]])
        }
    }

    @Test func paddingAndPriorityAreNoPartOfTheFields() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            for (padding, dependency) in [(0, nil), (1, nil), (255, nil), (nil, 0), (7, 0), (200, 101)]
                as [(Int?, Int?)]
            {
                let stream = await client.newStream()
                try await client.send(.headers(stream, Self.block, padding: padding, dependency: dependency))
                #expect(try await client.answer(on: stream).status == 200)
            }
            #expect(fixture.backend.requests.count == 6)
        }
    }

    @Test func paddingThatFillsTheFrameIsAConnectionError() async throws {
        let payloads: [(FrameFlags, [UInt8])] = [
            ([.padded], [5, 0, 0, 0, 0]), ([.padded], [255] + Self.block.bytes), ([.padded], []),
            ([.padded, .priority], [1, 0, 0, 0, 0, 15]), ([.padded, .priority], [0, 0, 0, 0]),
            ([.priority], [0, 0, 0, 0]),
        ]
        try await withGateway { fixture async throws in
            for (flags, payload) in payloads {
                let client = try await fixture.http2()
                let all = flags.union([.endHeaders, .endStream])
                try await client.send(HTTP2Frame(type: .headers, flags: all, stream: 1, payload: payload))
                try await client.expectConnectionError(.protocolError, .frameSizeError, comment: "\(payload.count)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func nothingMayComeInsideAFieldSection() async throws {
        let others: [HTTP2Frame] = [
            .priority(1, on: 0), .priority(3, on: 0), .headers(3, Self.block), .headers(1, Self.block), .data(1, "x"),
            .settings(), .ping([1, 2, 3, 4, 5, 6, 7, 8]), .windowUpdate(0, 1), .windowUpdate(1, 1), .reset(1),
            .goAway(),
            .continuation(3, HeaderBlock()), .continuation(0, HeaderBlock()),
        ]
        try await withGateway { fixture async throws in
            for frame in others {
                let client = try await fixture.http2()
                try await client.send(.headers(1, Self.block, complete: false), frame)
                try await client.expectConnectionError(.protocolError, comment: "\(frame)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func nothingMayComeBetweenContinuations() async throws {
        try await withGateway { fixture async throws in
            for frame in [HTTP2Frame.data(1, "x"), .ping([1, 2, 3, 4, 5, 6, 7, 8]), .headers(3, Self.block)] {
                let client = try await fixture.http2()
                try await client.send(
                    .headers(1, Self.block, complete: false),
                    .continuation(1, HeaderBlock(fields: [("x-b", "c")]), complete: false),
                    frame
                )
                try await client.expectConnectionError(.protocolError, comment: "\(frame)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func aContinuationNeedsAnOpenFieldSection() async throws {
        let more = HTTP2Frame.continuation(1, HeaderBlock(fields: [("x-b", "c")]))
        let before: [(String, [HTTP2Frame])] = [
            ("nothing", []),
            ("HEADERS with END_HEADERS", [.headers(1, Self.block, end: false)]),
            ("CONTINUATION with END_HEADERS", Self.frames(1, Self.block, pieces: 30)),
            ("DATA", [.headers(1, Self.block, end: false), .data(1, "x")]),
        ]
        try await withGateway { fixture async throws in
            for (name, frames) in before {
                let client = try await fixture.http2()
                try await client.send(frames + [more])
                try await client.expectConnectionError(.protocolError, .streamClosed, comment: name)
            }
        }
    }

    @Test func headersAndContinuationsOfTheConnectionAreConnectionErrors() async throws {
        try await withGateway { fixture async throws in
            for frame in [HTTP2Frame.headers(0, Self.block), .continuation(0, Self.block)] {
                let client = try await fixture.http2()
                try await client.send(frame)
                try await client.expectConnectionError(.protocolError, comment: "\(frame)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }
}
