import TestSupport
import Testing

/// Header compression (RFC 7541). The compression state is the connection's, so that every fault in it is a
/// connection error of type COMPRESSION_ERROR (RFC 9113 section 4.3).
@Suite struct HeaderCompressionTests {
    /// `:method: GET`, `:scheme: http`, `:path: /open/x`, `:authority: app.test`, the first two by their index.
    private static let request =
        HeaderBlock.indexed(StaticIndex.methodGET) + .indexed(StaticIndex.schemeHTTP)
        + .withoutIndexing(nameIndex: StaticIndex.path, "/open/x")
        + .withoutIndexing(nameIndex: StaticIndex.authority, "app.test")

    private static let representations: [(String, HeaderBlock, name: String, value: String)] = [
        ("incremental, indexed name", .incremental(nameIndex: StaticIndex.userAgent, "me"), "user-agent", "me"),
        (
            "incremental, indexed name, Huffman",
            .incremental(nameIndex: StaticIndex.userAgent, "cats", huffman: true), "user-agent", "cats"
        ),
        ("incremental, new name", .incremental("x-new", "a"), "x-new", "a"),
        ("incremental, new name, Huffman", .incremental("taste", "a1c2", huffman: true), "taste", "a1c2"),
        ("plain, indexed name", .withoutIndexing(nameIndex: StaticIndex.userAgent, "me"), "user-agent", "me"),
        (
            "plain, indexed name, Huffman",
            .withoutIndexing(nameIndex: StaticIndex.userAgent, "oasis", huffman: true), "user-agent", "oasis"
        ),
        ("plain, new name", .withoutIndexing("x-plain", "b"), "x-plain", "b"),
        ("plain, new name, Huffman", .withoutIndexing("stoic", "ease", huffman: true), "stoic", "ease"),
        ("never, indexed name", .neverIndexed(nameIndex: StaticIndex.userAgent, "me"), "user-agent", "me"),
        (
            "never, indexed name, Huffman",
            .neverIndexed(nameIndex: StaticIndex.userAgent, "test", huffman: true), "user-agent", "test"
        ),
        ("never, new name", .neverIndexed("x-never", "c"), "x-never", "c"),
        ("never, new name, Huffman", .neverIndexed("aces", "0120", huffman: true), "aces", "0120"),
        ("an empty Huffman string", .neverIndexed("x-empty", huffmanBytes: []), "x-empty", ""),
        (
            "a long value",
            .neverIndexed("x-long", String(repeating: "l", count: 5000)), "x-long", String(repeating: "l", count: 5000)
        ),
    ]

    @Test func everyRepresentationIsUnderstood() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            for (comment, field, name, value) in Self.representations {
                let stream = await client.newStream()
                try await client.send(.headers(stream, Self.request + field))
                #expect(try await client.answer(on: stream).status == 200, "\(comment)")
                let seen = try #require(fixture.backend.requests.last)
                #expect(seen.target == "/open/x", "\(comment)")
                #expect(seen.fields[name] == [value], "\(comment)")
            }
        }
    }

    @Test func theDynamicTableIsKeptFromRequestToRequest() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let blocks: [(HeaderBlock, a: [String], b: [String])] = [
                (.incremental("x-a", "1") + .incremental("x-b", "2"), ["1"], ["2"]),
                (.indexed(StaticIndex.last + 1) + .indexed(StaticIndex.last + 2), ["1"], ["2"]),
                (.incremental(nameIndex: StaticIndex.last + 2, "3"), ["3"], []),
                (.indexed(StaticIndex.last + 1) + .indexed(StaticIndex.last + 2), ["3"], ["2"]),
            ]
            for (block, a, b) in blocks {
                let stream = await client.newStream()
                try await client.send(.headers(stream, Self.request + block))
                #expect(try await client.answer(on: stream).status == 200)
                #expect(fixture.backend.requests.last?.fields["x-a"] == a)
                #expect(fixture.backend.requests.last?.fields["x-b"] == b)
            }
        }
    }

    /// A refused request has changed the table all the same.
    @Test func theTableOutlivesARefusal() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let refused = await client.newStream()
            try await client.send(
                .headers(refused, Self.request + .incremental("x-a", "kept") + .neverIndexed("te", "x"))
            )
            try await client.expectMalformed(on: refused)
            let stream = await client.newStream()
            try await client.send(.headers(stream, Self.request + .indexed(StaticIndex.last + 1)))
            #expect(try await client.answer(on: stream).status == 200)
            #expect(fixture.backend.requests.last?.fields["x-a"] == ["kept"])
        }
    }

    @Test func theTableOutlivesAResetStream() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let gone = await client.newStream()
            let block = Self.request + .incremental("x-a", "kept")
            try await client.send(.headers(gone, block, end: false), .reset(gone))
            let stream = await client.newStream()
            try await client.send(.headers(stream, Self.request + .indexed(StaticIndex.last + 1)))
            #expect(try await client.answer(on: stream).status == 200)
            #expect(fixture.backend.requests.last?.fields["x-a"] == ["kept"])
        }
    }

    @Test func sizeUpdatesAtTheStartAreTaken() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            for block in [
                HeaderBlock.tableSizeUpdate(128), .tableSizeUpdate(0) + .tableSizeUpdate(4096), .tableSizeUpdate(0),
            ] {
                let stream = await client.newStream()
                try await client.send(.headers(stream, block + Self.request))
                #expect(try await client.answer(on: stream).status == 200)
            }
        }
    }

    @Test func aSizeUpdateEmptiesTheTable() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let first = await client.newStream()
            try await client.send(.headers(first, Self.request + .incremental("x-a", "1")))
            #expect(try await client.answer(on: first).status == 200)
            let second = await client.newStream()
            let emptied = HeaderBlock.tableSizeUpdate(0) + .tableSizeUpdate(4096)
            try await client.send(.headers(second, emptied + Self.request + .indexed(StaticIndex.last + 1)))
            try await client.expectConnectionError(.compressionError)
            #expect(fixture.backend.requests.count == 1)
        }
    }

    /// The first is RFC 7541 section 6.1, the strings are section 5.2, the integer is section 5.1.
    private static let faults: [(String, HeaderBlock)] = [
        ("index 0", request + .indexed(0)),
        ("an index past the table", request + .indexed(StaticIndex.last + 1)),
        ("an index far past the table", request + .indexed(1 << 20)),
        ("a name's index past the table", request + .incremental(nameIndex: 70, "x")),
        ("a name's index past the table, plain", request + .withoutIndexing(nameIndex: 70, "x")),
        ("a size update at the end", request + .tableSizeUpdate(100)),
        ("a size update in the middle", .indexed(StaticIndex.methodGET) + .tableSizeUpdate(100) + request),
        ("a size update past the setting", .tableSizeUpdate(1 << 20) + request),
        ("Huffman padding of eight bits", request + .neverIndexed("x-a", huffmanBytes: [0x1f, 0xff])),
        ("Huffman padding of zeros", request + .neverIndexed("x-a", huffmanBytes: [0x18])),
        ("the Huffman EOS symbol", request + .neverIndexed("x-a", huffmanBytes: [0xff, 0xff, 0xff, 0xff])),
        ("an integer without an end", request + HeaderBlock([0xff] + [UInt8](repeating: 0xff, count: 20) + [0x01])),
        ("a field cut short", request + HeaderBlock([0x10, 0x03, 0x78])),
        ("a string longer than the block", request + HeaderBlock([0x10, 0x7f, 0xe8, 0x07, 0x78])),
        ("no value", request + HeaderBlock([0x10, 0x01, 0x78])),
    ]

    @Test func faultsInABlockAreCompressionErrors() async throws {
        try await withGateway { fixture async throws in
            for (comment, block) in Self.faults {
                let client = try await fixture.http2()
                try await client.send(.headers(1, block))
                try await client.expectConnectionError(.compressionError, comment: comment)
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func faultsInTrailersAreCompressionErrorsToo() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", body: [1], end: false)
            try await client.send(.headers(stream, .indexed(0)))
            try await client.expectConnectionError(.compressionError)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    /// A block that nobody reads any more still has to be decoded (RFC 9113 section 4.3).
    @Test func faultsInABlockOnAStreamThatTheClientResetAreCompressionErrors() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            try await client.send(.reset(stream), .headers(stream, .indexed(0)))
            try await client.expectConnectionError(.compressionError, .streamClosed, .protocolError)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    /// The gateway's table for answers is never larger than the client allows (RFC 7541 section 4.2).
    @Test func anEmptyTableForAnswersIsHeldTo() async throws {
        let script = BackendScript.answers("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Same: again\r\n\r\n")
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2(.headerTableSize(0))
            for _ in 0..<3 {
                #expect(try await client.request("/open/x").fields["x-same"] == ["again"])
            }
        }
    }

    @Test func randomBlocksNeverPassForARequest() async throws {
        var generator = SplitMix64(seed: 7541)
        try await withGateway { fixture async throws in
            for _ in 0..<60 {
                let client = try await fixture.http2()
                let length = Int.random(in: 1...80, using: &generator)
                let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
                try await client.send(.headers(1, HeaderBlock(bytes)))
                switch try await client.outcome(of: 1) {
                case .answered(let response): #expect(response.status == 400, "\(bytes)")
                case .reset(let code): #expect(code == .protocolError, "\(bytes)")
                case .ended(let code): #expect(code == .compressionError || code == .protocolError, "\(bytes)")
                }
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }
}
