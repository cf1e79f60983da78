import TestSupport

@testable import HTTPCore

/// A frame made by hand, or read from what a session wrote.
struct Frame: Equatable {
    var kind: UInt8
    var flags: UInt8
    var stream: UInt32
    var payload: [UInt8]

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    static let settingsAcknowledgement = make(4, 1, 0, [])
    static let request: [(String, String)] = [
        (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a.example"),
    ]
    static let requestLines = [":method: GET", ":scheme: http", ":path: /", ":authority: a.example"]

    static func make(_ kind: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16), UInt8(length >> 8 & 255), UInt8(length & 255), kind, flags]
            + bigEndian(stream) + payload
    }

    static func bigEndian(_ word: UInt32) -> [UInt8] {
        [UInt8(word >> 24), UInt8(word >> 16 & 255), UInt8(word >> 8 & 255), UInt8(word & 255)]
    }

    static func settings(_ values: [(UInt16, UInt32)] = []) -> [UInt8] {
        make(4, 0, 0, values.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + bigEndian($0.1) })
    }

    /// Literals without indexing, short ones only (RFC 7541 section 6.2.2).
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { name, value -> [UInt8] in
            [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
        }
    }

    static func headers(
        _ stream: UInt32,
        endStream: Bool = true,
        endHeaders: Bool = true,
        _ fields: [(String, String)] = request
    ) -> [UInt8] {
        make(1, (endStream ? 1 : 0) | (endHeaders ? 4 : 0), stream, block(fields))
    }

    static func continuation(_ stream: UInt32, endHeaders: Bool, _ fields: [(String, String)]) -> [UInt8] {
        make(9, endHeaders ? 4 : 0, stream, block(fields))
    }

    static func data(_ stream: UInt32, _ count: Int, endStream: Bool = false) -> [UInt8] {
        make(0, endStream ? 1 : 0, stream, [UInt8](repeating: 5, count: count))
    }

    static func reset(_ stream: UInt32, _ code: HTTP2ErrorCode = .cancel) -> [UInt8] {
        make(3, 0, stream, bigEndian(code.rawValue))
    }

    static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> [UInt8] {
        make(8, 0, stream, bigEndian(increment))
    }

    static func goAway(_ last: UInt32, _ code: HTTP2ErrorCode = .noError) -> [UInt8] {
        make(7, 0, 0, bigEndian(last) + bigEndian(code.rawValue))
    }

    static func ping(_ payload: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8], acknowledges: Bool = false) -> [UInt8] {
        make(6, acknowledges ? 1 : 0, 0, payload)
    }

    static func priority(_ stream: UInt32, dependsOn other: UInt32) -> [UInt8] {
        make(2, 0, stream, bigEndian(other) + [15])
    }

    static func read(_ bytes: [UInt8]) -> [Frame] {
        var frames: [Frame] = []
        var start = bytes.starts(with: preface) ? preface.count : 0
        while start + 9 <= bytes.count {
            let length = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            let stream = bytes[(start + 5)..<(start + 9)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let payload = Array(bytes[(start + 9)..<(start + 9 + length)])
            frames.append(Frame(kind: bytes[start + 3], flags: bytes[start + 4], stream: stream, payload: payload))
            start += 9 + length
        }
        return frames
    }

    /// The code of an RST_STREAM or a GOAWAY.
    var code: HTTP2ErrorCode? {
        let bytes = kind == 3 ? payload[...] : kind == 7 ? payload.dropFirst(4).prefix(4) : []
        return bytes.count == 4 ? HTTP2ErrorCode(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) }) : nil
    }

    /// The first four octets of the payload: a WINDOW_UPDATE's increment, a GOAWAY's last stream.
    var word: UInt32 { payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

    var endsStream: Bool { (kind == 0 || kind == 1) && flags & 1 == 1 }
}

extension [Frame] {
    func resets(_ stream: UInt32) -> [HTTP2ErrorCode] {
        filter { $0.kind == 3 && $0.stream == stream }.compactMap(\.code)
    }

    var goAways: [HTTP2ErrorCode] { filter { $0.kind == 7 }.compactMap(\.code) }

    func dataLength(_ stream: UInt32) -> Int {
        filter { $0.kind == 0 && $0.stream == stream }.map(\.payload.count).reduce(0, +)
    }

    /// The increments that were given to a stream, or to the connection as 0.
    func windowUpdates(_ stream: UInt32) -> [UInt32] { filter { $0.kind == 8 && $0.stream == stream }.map(\.word) }
}
