import NIOCore
import TestSupport

/// An HTTP/2 client with prior knowledge (RFC 9113 section 3.3) that sends exact frames and reads strictly. It
/// acknowledges SETTINGS and PING by itself. One task at a time reads from it.
actor HTTP2Client {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    nonisolated let raw: RawClient
    private var ledger = HTTP2Ledger()
    private var buffer = ByteBuffer()
    /// Events that arrived while the test waited for another stream, by stream; 0 is the connection.
    private var waiting: [Int: [HTTP2Event]] = [:]
    private var nextStream = 1
    private var pings = 0
    /// Bytes of body that the gateway still takes, on the connection (0) and on each stream.
    private var credit = [0: 65_535]
    private var initialCredit = 65_535
    private var grantsWindows = true
    private(set) var lastGoAway: (lastStream: Int, code: HTTP2ErrorCode)?

    init(_ raw: RawClient) {
        self.raw = raw
    }

    // MARK: Sending

    func send(_ frames: HTTP2Frame...) async throws {
        try await send(frames)
    }

    /// All frames in one write.
    func send(_ frames: [HTTP2Frame]) async throws {
        note(frames)
        try await raw.send(frames.flatMap { $0.bytes() })
    }

    /// One write a byte.
    func drip(_ frames: HTTP2Frame...) async throws {
        note(frames)
        for byte in frames.flatMap({ $0.bytes() }) { try await raw.send([byte]) }
    }

    /// Raw bytes, which the ledger does not see.
    nonisolated func sendRaw(_ bytes: [UInt8]) async throws {
        try await raw.send(bytes)
    }

    /// Sends a body in DATA frames as the gateway's windows allow, and gives up once it has reset the stream.
    ///
    /// - Parameters:
    ///   - limit: Of the content of a frame, at most.
    ///   - padding: Of each frame, if they are to be padded at all.
    func sendBody(
        _ bytes: [UInt8],
        on stream: Int,
        end: Bool = true,
        pieces limit: Int = 16_384,
        padding: Int? = nil
    ) async throws {
        let extra = padding.map { $0 + 1 } ?? 0
        var rest = bytes[...]
        repeat {
            let length = min(rest.count, limit, min(credit[0] ?? 0, credit[stream] ?? 0) - extra)
            guard length > 0 || rest.isEmpty else {
                if isReset(stream) { return }
                guard try await readOn() else { throw EndOfStream() }
                continue
            }
            let piece = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            credit[0, default: 0] -= length + extra
            credit[stream, default: 0] -= length + extra
            try await send(.data(stream, piece, end: end && rest.isEmpty, padding: padding))
        } while !rest.isEmpty
    }

    /// Notes content that was sent without ``sendBody(_:on:end:pieces:padding:)``.
    func spend(_ count: Int, on stream: Int) {
        credit[0, default: 0] -= count
        credit[stream, default: 0] -= count
    }

    /// The next identifier that this client has not used.
    func newStream() -> Int {
        defer { nextStream += 2 }
        return nextStream
    }

    /// Stops returning windows for received data.
    func keepWindowsShut() {
        grantsWindows = false
    }

    // MARK: Receiving

    /// The next frame as it came, nil at the end of the connection. The ledger does not see it.
    func nextFrame() async throws -> HTTP2Frame? {
        guard let header = try await take(HTTP2Frame.headerLength) else { return nil }
        guard let payload = try await take(Int(bigEndian: header[..<3])) else { return nil }
        return HTTP2Frame(
            type: FrameType(rawValue: header[3]),
            flags: FrameFlags(rawValue: header[4]),
            stream: Int(bigEndian: header[5...]) & 0x7fff_ffff,
            payload: payload
        )
    }

    /// The next event of a stream, or of the connection (0); nil when the connection ends first.
    func event(on stream: Int) async throws -> HTTP2Event? {
        while true {
            if waiting[stream]?.isEmpty == false { return waiting[stream]?.removeFirst() }
            guard try await readOn() else { return nil }
        }
    }

    /// Sends a PING and reads on to its acknowledgement: the gateway has taken in everything that was sent before.
    /// False when the connection ended instead.
    func sync() async throws -> Bool {
        pings += 1
        let token = pings.bigEndian(8)
        // A connection that is gone fails the write or the read, whichever notices first.
        guard (try? await send(.ping(token))) != nil else { return try await untilClosed() }
        while true {
            if let index = waiting[0]?.firstIndex(of: .pingAcknowledged(token)) {
                waiting[0]?.remove(at: index)
                return true
            }
            guard try await readOn() else { return false }
        }
    }

    /// Events of the stream that are there now.
    func ready(on stream: Int) -> [HTTP2Event] {
        waiting.removeValue(forKey: stream) ?? []
    }

    private func untilClosed() async throws -> Bool {
        while try await readOn() {}
        return false
    }

    private func isReset(_ stream: Int) -> Bool {
        waiting[stream, default: []].contains {
            if case .reset = $0 { true } else { false }
        }
    }

    // MARK: Frame by frame

    private func note(_ frames: [HTTP2Frame]) {
        for frame in frames {
            ledger.sent(frame)
            if frame.type == .headers, credit[frame.stream] == nil { credit[frame.stream] = initialCredit }
        }
    }

    /// Takes one frame in; false at the end of the connection.
    private func readOn() async throws -> Bool {
        guard let frame = try await nextFrame() else { return false }
        guard let event = try ledger.received(frame) else { return true }
        switch event {
        case .settings(let settings):
            for setting in settings where setting.parameter == 4 { setInitialCredit(setting.value) }
            waiting[0, default: []].append(event)
            try await reply(.settingsAcknowledgement)
        case .ping(let payload):
            try await reply(.ping(payload, acknowledgement: true))
        case .windowUpdate(let increment):
            credit[frame.stream, default: 0] += increment
        case .goAway(let lastStream, let code):
            lastGoAway = (lastStream, code)
            waiting[0, default: []].append(event)
        case .data(_, let end):
            waiting[frame.stream, default: []].append(event)
            let length = frame.payload.count
            if grantsWindows, length > 0 {
                try await reply(.windowUpdate(0, length))
                if !end { try await reply(.windowUpdate(frame.stream, length)) }
            }
        case .settingsAcknowledged, .fields, .reset, .pingAcknowledged:
            waiting[frame.stream, default: []].append(event)
        }
        return true
    }

    /// The gateway may close while something is on its way to it; what it sent before is read all the same.
    private func reply(_ frame: HTTP2Frame) async throws {
        do {
            try await send(frame)
        } catch let error as NothingCame {
            throw error
        } catch {}
    }

    private func setInitialCredit(_ value: Int) {
        for stream in credit.keys where stream != 0 { credit[stream]? += value - initialCredit }
        initialCredit = value
    }

    private func take(_ count: Int) async throws -> [UInt8]? {
        while buffer.readableBytes < count {
            do {
                guard let piece = try await raw.piece() else { return nil }
                buffer.discardReadBytes()
                buffer.writeBytes(piece)
            } catch let error as NothingCame {
                throw error
            } catch {
                // A reset ends the connection too.
                return nil
            }
        }
        return buffer.readBytes(length: count) ?? []
    }
}

extension GatewayFixture {
    /// A new HTTP/2 connection to the gateway, past the exchange of prefaces.
    func http2(
        _ settings: HTTP2Setting...,
        receiveBuffer: Int? = nil,
        proxyHeader: [UInt8] = []
    ) async throws -> HTTP2Client {
        let client = HTTP2Client(try await connect(receiveBuffer: receiveBuffer))
        try await client.sendRaw(proxyHeader + HTTP2Client.preface)
        try await client.send(HTTP2Frame(type: .settings, payload: settings.flatMap(\.bytes)))
        guard case .settings = try await client.event(on: 0) else { throw Malformed("no SETTINGS first") }
        return client
    }
}
