import NIOCore
import NIOHPACK

/// A client's record of one connection: the windows it gave, the streams it opened, the compression state. Anything
/// that the gateway sends beyond them is ``Malformed``.
struct HTTP2Ledger {
    private static let ordinaryWindow = 65_535
    private static let largestFrame = 16_384

    private struct Stream {
        /// What the gateway may still send on it.
        var window: Int
        /// The gateway ended or reset it.
        var isOver = false
    }

    private var streams: [Int: Stream] = [:]
    private var connectionWindow = ordinaryWindow
    private var initialWindow = ordinaryWindow
    private var largestFrame = HTTP2Ledger.largestFrame
    /// Smaller windows, which count from their acknowledgement on.
    private var unacknowledged: [[HTTP2Setting]] = []
    private var unfinishedBlock: (stream: Int, end: Bool, bytes: [UInt8])?
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())

    // MARK: Sent

    /// Notes a frame that the client sends.
    mutating func sent(_ frame: HTTP2Frame) {
        switch frame.type {
        case .headers where streams[frame.stream] == nil:
            streams[frame.stream] = Stream(window: initialWindow)
        case .windowUpdate where frame.payload.count == 4:
            let increment = Int(bigEndian: frame.payload)
            if frame.stream == 0 { connectionWindow += increment } else { streams[frame.stream]?.window += increment }
        case .settings where !frame.flags.contains(.acknowledgement):
            sentSettings(frame.payload)
        default: break
        }
    }

    private mutating func sentSettings(_ payload: [UInt8]) {
        var settings: [HTTP2Setting] = []
        for start in stride(from: 0, to: payload.count - payload.count % 6, by: 6) {
            let parameter = Int(bigEndian: payload[start..<start + 2])
            let value = Int(bigEndian: payload[start + 2..<start + 6])
            settings.append(HTTP2Setting(parameter: parameter, value: value))
            if parameter == 4, value > initialWindow { setInitialWindow(value) }
            if parameter == 5 { largestFrame = max(largestFrame, value) }
        }
        unacknowledged.append(settings)
    }

    private mutating func setInitialWindow(_ value: Int) {
        for stream in streams.keys { streams[stream]?.window += value - initialWindow }
        initialWindow = value
    }

    // MARK: Received

    /// The event that the frame completes; nil when it completes none.
    mutating func received(_ frame: HTTP2Frame) throws -> HTTP2Event? {
        guard frame.payload.count <= largestFrame else { throw Malformed("a frame past its limit: \(frame)") }
        if let block = unfinishedBlock, frame.type != .continuation || frame.stream != block.stream {
            throw Malformed("a field section with something in between: \(frame)")
        }
        switch frame.type {
        case .headers, .continuation: return try receivedFields(frame)
        case .pushPromise: throw Malformed("a push: \(frame)")
        default: break
        }
        let event = try HTTP2Event.of(frame)
        switch event {
        case .data(_, let end): try receivedData(frame, end: end)
        case .reset:
            guard streams[frame.stream] != nil else { throw Malformed("on an idle stream: \(frame)") }
            streams[frame.stream]?.isOver = true
        case .settingsAcknowledged: try receivedAcknowledgement()
        default: break
        }
        return event
    }

    private mutating func receivedAcknowledgement() throws {
        guard !unacknowledged.isEmpty else { throw Malformed("an acknowledgement of nothing") }
        for setting in unacknowledged.removeFirst() where setting.parameter == 4 { setInitialWindow(setting.value) }
    }

    private mutating func receivedData(_ frame: HTTP2Frame, end: Bool) throws {
        guard let stream = streams[frame.stream], !stream.isOver else { throw Malformed("on no open stream: \(frame)") }
        let length = frame.payload.count
        // An empty frame may come whatever the windows (RFC 9113 section 6.9.1).
        guard length == 0 || (length <= stream.window && length <= connectionWindow) else {
            throw Malformed("past a window of \(min(stream.window, connectionWindow)): \(frame)")
        }
        streams[frame.stream]?.window -= length
        connectionWindow -= length
        if end { streams[frame.stream]?.isOver = true }
    }

    private mutating func receivedFields(_ frame: HTTP2Frame) throws -> HTTP2Event? {
        guard let stream = streams[frame.stream], !stream.isOver else { throw Malformed("on no open stream: \(frame)") }
        var block = unfinishedBlock ?? (frame.stream, frame.flags.contains(.endStream), [])
        if frame.type == .headers {
            let start = frame.flags.contains(.priority) ? 5 : 0
            block.bytes += try HTTP2Event.unpadded(frame).dropFirst(start)
        } else {
            guard unfinishedBlock != nil else { throw Malformed("a CONTINUATION of nothing: \(frame)") }
            block.bytes += frame.payload
        }
        guard frame.flags.contains(.endHeaders) else {
            unfinishedBlock = block
            return nil
        }
        unfinishedBlock = nil
        if block.end { streams[frame.stream]?.isOver = true }
        return .fields(try decoded(block.bytes), end: block.end)
    }

    /// - Throws: ``Malformed`` for names that are not lower case and for fields of another protocol (RFC 9113 sections
    ///   8.2.1 and 8.2.2).
    private mutating func decoded(_ block: [UInt8]) throws -> FieldLines {
        var buffer = ByteBuffer(bytes: block)
        let lines = try decoder.decodeHeaders(from: &buffer).map { (name: $0.name, value: $0.value) }
        let alien = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]
        for line in lines {
            guard line.name == line.name.lowercased(), !alien.contains(line.name),
                line.value.utf8.allSatisfy({ $0 != 0 && $0 != 0x0a && $0 != 0x0d }),
                line.value == line.value.trimmingSpaces
            else { throw Malformed("a field the gateway must not send: \(line.name): \(line.value)") }
        }
        return FieldLines(lines: lines)
    }
}
