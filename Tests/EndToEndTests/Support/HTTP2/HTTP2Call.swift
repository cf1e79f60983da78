import NIOCore
import NIOHPACK
import NIOHTTP2
import Synchronization
import TestSupport

/// One request at an HTTP/2 backend, for its script.
final class HTTP2Call: Sendable {
    /// The stream was reset, by either side.
    struct Reset: Error {
        var code: Int
    }

    enum Part: Sendable {
        case data([UInt8])
        case trailers(HPACKHeaders)
    }

    /// Counts the backend's connections from 0.
    let connection: Int
    let fields: HPACKHeaders
    /// What follows the head.
    let parts = Mailbox<Part>("more of a request")
    /// How the stream ended: with the code of a reset, or nil.
    let ended = Mailbox<Int?>("the end of a stream")
    private let id: HTTP2StreamID
    private let channel: any Channel
    /// Whether more of the request may come; else no window is returned for it.
    private let isOpen = Mutex(true)

    init(id: HTTP2StreamID, connection: Int, channel: any Channel, fields: HPACKHeaders) {
        self.id = id
        self.connection = connection
        self.channel = channel
        self.fields = fields
    }

    var method: String { fields.first(name: ":method") ?? "" }
    var path: String { fields.first(name: ":path") ?? "" }

    // MARK: The request

    /// The next part, nil at the end. Returns the window for its bytes.
    func next() async throws -> Part? {
        do {
            let part = try await parts.next()
            if case .data(let bytes) = part, !bytes.isEmpty { giveBack(bytes.count) }
            return part
        } catch is EndOfStream {
            return nil
        }
    }

    /// Reads to the end.
    @discardableResult
    func body() async throws -> (bytes: [UInt8], trailers: HPACKHeaders) {
        var body: (bytes: [UInt8], trailers: HPACKHeaders) = ([], [:])
        while let part = try await next() {
            switch part {
            case .data(let bytes): body.bytes += bytes
            case .trailers(let fields): body.trailers = fields
            }
        }
        return body
    }

    private func giveBack(_ count: Int) {
        channel.eventLoop.execute { [self] in
            for stream in isOpen.withLock({ $0 }) ? [HTTP2StreamID.rootStream, id] : [.rootStream] {
                let frame = NIOHTTP2.HTTP2Frame(streamID: stream, payload: .windowUpdate(windowSizeIncrement: count))
                channel.pipeline.syncOperations.writeAndFlush(NIOAny(frame), promise: nil)
            }
        }
    }

    /// The request has ended. Called on the event loop.
    func requestEnded(_ end: any Error = EndOfStream()) {
        isOpen.withLock { $0 = false }
        parts.finish(end)
    }

    // MARK: The response

    func head(_ status: Int, _ fields: [(String, String)] = [], end: Bool = false) async throws {
        let headers = HPACKHeaders([(":status", "\(status)")] + fields)
        try await write(.headers(.init(headers: headers, endStream: end)))
    }

    /// Returns when it is sent, which the gateway's windows may delay.
    func data(_ bytes: [UInt8], end: Bool = false) async throws {
        try await write(.data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: end)))
    }

    func trailers(_ fields: [(String, String)]) async throws {
        try await write(.headers(.init(headers: HPACKHeaders(fields), endStream: true)))
    }

    /// 200 with a body, but for HEAD.
    func respond(_ body: String = "ok") async throws {
        try await head(200, [("content-length", "\(body.utf8.count)")], end: method == "HEAD")
        if method == "HEAD" { return }
        try await data(Array(body.utf8), end: true)
    }

    func reset(_ code: NIOHTTP2.HTTP2ErrorCode) async throws {
        try await write(.rstStream(code))
    }

    // MARK: The connection

    /// Accepts no streams after this one plus `distance`.
    func goAway(past distance: Int = 0) async throws {
        let last = HTTP2StreamID(Int(id) + distance)
        let frame = NIOHTTP2.HTTP2Frame(
            streamID: .rootStream,
            payload: .goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil)
        )
        try await write(frame)
    }

    func closeConnection() async throws {
        try await channel.close()
    }

    private func write(_ payload: NIOHTTP2.HTTP2Frame.FramePayload) async throws {
        try await write(NIOHTTP2.HTTP2Frame(streamID: id, payload: payload))
    }

    private func write(_ frame: NIOHTTP2.HTTP2Frame) async throws {
        let written = channel.eventLoop.makePromise(of: Void.self)
        channel.eventLoop.execute { [channel] in
            channel.pipeline.syncOperations.writeAndFlush(NIOAny(frame), promise: written)
        }
        // A window may be closed for the whole patience of a test.
        try await written.futureResult.bounded("a frame to leave", within: .patience + .patience)
    }
}
