import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import TestSupport
import Testing

@testable import HTTPCore

/// Sessions against SwiftNIO's HTTP/2, which was written by others.
@Suite struct SessionIndependentPeerTests {
    private struct Peer {
        let channel = EmbeddedChannel()
        let fixture: SessionProbe
        var seen: [SessionProbe.Seen] = []
        var frames: [NIOHTTP2.HTTP2Frame] = []

        init(session role: HTTP2Session.Role) throws {
            fixture = SessionProbe(role)
            let mode: NIOHTTP2Handler.ParserMode = role == .server ? .client : .server
            try channel.pipeline.syncOperations.addHandler(NIOHTTP2Handler(mode: mode))
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
            try exchange()
        }

        /// Carries bytes both ways until none are left; every body is passed on at once.
        mutating func exchange() throws {
            var isDone = false
            while !isDone {
                isDone = true
                while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
                    fixture.session.receive(bytes)
                    isDone = false
                }
                let events = fixture.events()
                for case .data(let stream, _, let flowControlled, _) in events {
                    fixture.session.consumed(stream: stream, flowControlled)
                }
                seen += events
                let output = fixture.takeOutput()
                if !output.isEmpty {
                    try channel.writeInbound(ByteBuffer(bytes: output))
                    isDone = false
                }
                while let frame = try channel.readInbound(as: NIOHTTP2.HTTP2Frame.self) { frames.append(frame) }
            }
        }

        mutating func send(_ stream: Int32, _ payload: NIOHTTP2.HTTP2Frame.FramePayload) throws {
            channel.writeAndFlush(NIOHTTP2.HTTP2Frame(streamID: HTTP2StreamID(stream), payload: payload), promise: nil)
            try exchange()
        }

        var body: [UInt8] {
            seen.flatMap { event -> [UInt8] in
                if case .data(_, let bytes, _, _) = event { bytes } else { [] }
            }
        }

        var peersBody: [UInt8] {
            frames.flatMap { frame -> [UInt8] in
                guard case .data(let data) = frame.payload, case .byteBuffer(let bytes) = data.data else { return [] }
                return Array(bytes.readableBytesView)
            }
        }

        var peersHeads: [HPACKHeaders] {
            frames.compactMap { if case .headers(let head) = $0.payload { head.headers } else { nil } }
        }
    }

    private let request: HPACKHeaders = [
        ":method": "POST", ":scheme": "http", ":path": "/a", ":authority": "a.example", "x-a": "1",
    ]
    private let lines = [":method: POST", ":scheme: http", ":path: /a", ":authority: a.example", "x-a: 1"]

    private func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) } }

    @Test func independentClientGetsResponses() throws {
        var peer = try Peer(session: .server)
        for stream: Int32 in [1, 3, 5, 7] {
            peer.seen = []
            peer.frames = []
            try peer.send(stream, .headers(.init(headers: request, endStream: true)))
            #expect(peer.seen == [.headers(UInt32(stream), endStream: true, .initial, lines)])
            peer.fixture.sendHeaders(
                UInt32(stream),
                [(":status", "200"), ("content-type", "text/plain")],
                endStream: false
            )
            peer.fixture.session.sendData(
                stream: UInt32(stream),
                ByteBuffer(bytes: Array("hello".utf8)),
                endStream: true
            )
            try peer.exchange()
            #expect(peer.peersHeads == [[":status": "200", "content-type": "text/plain"]])
            #expect(peer.peersBody == Array("hello".utf8))
            #expect(peer.fixture.session.openStreams == 0)
        }
    }

    @Test func largeBodiesPassWindowsBothWays() throws {
        var peer = try Peer(session: .server)
        let body = pattern(700_000)
        try peer.send(1, .headers(.init(headers: request)))
        try peer.send(1, .data(.init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: true)))
        #expect(peer.body == body)

        peer.fixture.respond(1)
        peer.fixture.session.sendData(stream: 1, ByteBuffer(bytes: body), endStream: false)
        peer.fixture.session.sendTrailers(stream: 1) { block in
            block.append(name: Array("grpc-status".utf8).span, value: Array("0".utf8).span)
        }
        for _ in 0..<100 where peer.fixture.session.isOpen(1) {
            try peer.exchange()
            let update = NIOHTTP2.HTTP2Frame.FramePayload.windowUpdate(windowSizeIncrement: 60_000)
            try peer.send(0, update)
            if peer.fixture.session.isOpen(1) { try peer.send(1, update) }
        }
        #expect(peer.peersBody == body)
        #expect(peer.peersHeads.last == ["grpc-status": "0"])
    }

    @Test func independentServerRespondsToRequests() throws {
        var peer = try Peer(session: .client)
        for stream: UInt32 in [1, 3, 5] {
            peer.seen = []
            peer.frames = []
            #expect(peer.fixture.session.openStream() == stream)
            peer.fixture.sendHeaders(stream, Frame.request, endStream: false)
            peer.fixture.sendData(stream, 20_000, endStream: true)
            try peer.exchange()
            #expect(peer.peersHeads.first?.first(name: ":path") == "/")
            #expect(peer.peersBody.count == 20_000)
            try peer.send(Int32(stream), .headers(.init(headers: [":status": "200", "a": "b"])))
            try peer.send(Int32(stream), .data(.init(data: .byteBuffer(ByteBuffer(bytes: pattern(50_000))))))
            try peer.send(Int32(stream), .headers(.init(headers: ["x": "y"], endStream: true)))
            #expect(peer.seen.first == .headers(stream, endStream: false, .initial, [":status: 200", "a: b"]))
            #expect(peer.body == pattern(50_000))
            #expect(peer.seen.last == .headers(stream, endStream: true, .trailers, ["x: y"]))
        }
    }

    @Test func resetsAndGoAwayWorkBothWays() throws {
        var peer = try Peer(session: .server)
        try peer.send(1, .headers(.init(headers: request)))
        try peer.send(3, .headers(.init(headers: request)))
        try peer.send(1, .rstStream(.cancel))
        #expect(peer.seen.last == .reset(1, .cancel, byPeer: true))
        peer.fixture.session.reset(stream: 3, code: .internalError)
        peer.fixture.session.goAway(code: .noError)
        try peer.exchange()
        let resets = peer.frames.filter { if case .rstStream(.internalError) = $0.payload { true } else { false } }
        #expect(resets.map(\.streamID) == [3])
        let goAways = peer.frames.filter { if case .goAway(3, .noError, _) = $0.payload { true } else { false } }
        #expect(goAways.count == 1)
    }
}
