extension HTTP2Frame {
    static func data(_ stream: Int, _ bytes: [UInt8], end: Bool = false, padding: Int? = nil) -> HTTP2Frame {
        var frame = HTTP2Frame(type: .data, flags: end ? .endStream : [], stream: stream, payload: bytes)
        if let padding { frame.pad(padding) }
        return frame
    }

    static func data(_ stream: Int, _ text: String, end: Bool = false, padding: Int? = nil) -> HTTP2Frame {
        data(stream, Array(text.utf8), end: end, padding: padding)
    }

    /// - Parameters:
    ///   - end: END_STREAM.
    ///   - complete: END_HEADERS.
    static func headers(
        _ stream: Int,
        _ block: HeaderBlock,
        end: Bool = true,
        complete: Bool = true
    ) -> HTTP2Frame {
        var frame = HTTP2Frame(type: .headers, stream: stream, payload: block.bytes)
        if end { frame.flags.insert(.endStream) }
        if complete { frame.flags.insert(.endHeaders) }
        return frame
    }

    static func continuation(_ stream: Int, _ block: HeaderBlock, complete: Bool = true) -> HTTP2Frame {
        HTTP2Frame(type: .continuation, flags: complete ? .endHeaders : [], stream: stream, payload: block.bytes)
    }

    static func priority(_ stream: Int, on dependency: Int) -> HTTP2Frame {
        HTTP2Frame(type: .priority, stream: stream, payload: dependency.bigEndian(4) + [15])
    }

    static func reset(_ stream: Int, _ code: HTTP2ErrorCode = .cancel) -> HTTP2Frame {
        HTTP2Frame(type: .resetStream, stream: stream, payload: code.rawValue.bigEndian(4))
    }

    static func settings(_ settings: HTTP2Setting...) -> HTTP2Frame {
        HTTP2Frame(type: .settings, payload: settings.flatMap(\.bytes))
    }

    static let settingsAcknowledgement = HTTP2Frame(type: .settings, flags: .acknowledgement)

    static func ping(_ bytes: [UInt8], acknowledgement: Bool = false) -> HTTP2Frame {
        HTTP2Frame(type: .ping, flags: acknowledgement ? .acknowledgement : [], payload: bytes)
    }

    static func goAway(lastStream: Int = 0, _ code: HTTP2ErrorCode = .noError, debug: String = "") -> HTTP2Frame {
        let payload = lastStream.bigEndian(4) + code.rawValue.bigEndian(4) + Array(debug.utf8)
        return HTTP2Frame(type: .goAway, payload: payload)
    }

    static func windowUpdate(_ stream: Int, _ increment: Int) -> HTTP2Frame {
        HTTP2Frame(type: .windowUpdate, stream: stream, payload: increment.bigEndian(4))
    }

    private mutating func pad(_ length: Int) {
        flags.insert(.padded)
        payload = [UInt8(truncatingIfNeeded: length)] + payload + [UInt8](repeating: 0, count: length)
    }
}
