import NIOCore
import TestSupport

@testable import HTTPCore

/// A session with what a test asks of it: frames in as bytes, events and frames out as values.
final class SessionProbe {
    enum Seen: Equatable {
        case headers(UInt32, endStream: Bool, HTTP2Session.HeaderKind, [String])
        case data(UInt32, [UInt8], flowControlled: Int, endStream: Bool)
        case reset(UInt32, HTTP2ErrorCode, byPeer: Bool)
        case writable(UInt32)
        case goAway(UInt32, HTTP2ErrorCode)
        case settings
        case connectionError(HTTP2ErrorCode)
    }

    var session: HTTP2Session
    var list = HeaderList()
    var now: UInt64 = 1_000_000_000

    init(_ role: HTTP2Session.Role, _ limits: HTTP2Limits = HTTP2Limits()) {
        session = HTTP2Session(role: role, limits: limits)
        session.start()
    }

    /// A session past the exchange of SETTINGS, whose own were acknowledged.
    static func opened(_ role: HTTP2Session.Role, _ limits: HTTP2Limits = HTTP2Limits()) -> SessionProbe {
        let fixture = SessionProbe(role, limits)
        let preface = role == .server ? Frame.preface : []
        _ = fixture.feed(preface + Frame.settings() + Frame.settingsAcknowledgement)
        _ = fixture.written()
        return fixture
    }

    func feed(_ bytes: [UInt8]) -> [Seen] {
        session.receive(ByteBuffer(bytes: bytes))
        return events()
    }

    func events() -> [Seen] {
        var seen: [Seen] = []
        while let event = session.next(headers: &list, at: now) { seen.append(read(event)) }
        return seen
    }

    func takeOutput() -> [UInt8] {
        let bytes = Array(session.output.readableBytesView)
        session.output.clear()
        return bytes
    }

    func written() -> [Frame] { Frame.read(takeOutput()) }

    func read(_ event: HTTP2Session.Event) -> Seen {
        switch event {
        case .headers(let stream, let endStream, let kind):
            let lines = list.fields.map { field in
                String(decoding: list.bytes[field.name], as: UTF8.self) + ": "
                    + String(decoding: list.bytes[field.value], as: UTF8.self)
            }
            return .headers(stream, endStream: endStream, kind, lines)
        case .data(let stream, let bytes, let flowControlled, let endStream):
            return .data(stream, Array(bytes.readableBytesView), flowControlled: flowControlled, endStream: endStream)
        case .reset(let stream, let code, let byPeer): return .reset(stream, code, byPeer: byPeer)
        case .writable(let stream): return .writable(stream)
        case .goAway(let last, let code): return .goAway(last, code)
        case .settings: return .settings
        case .connectionError(let code, _): return .connectionError(code)
        }
    }

    func sendHeaders(_ stream: UInt32, _ fields: [(String, String)], endStream: Bool) {
        session.sendHeaders(stream: stream, endStream: endStream) { encoder, out in
            for (name, value) in fields {
                encoder.encode(
                    name: Array(name.utf8).span,
                    value: Array(value.utf8).span,
                    indexing: .incremental,
                    to: &out
                )
            }
        }
    }

    func respond(_ stream: UInt32, endStream: Bool = false) {
        sendHeaders(stream, [(":status", "200")], endStream: endStream)
    }

    func sendData(_ stream: UInt32, _ count: Int, endStream: Bool = false) {
        session.sendData(stream: stream, ByteBuffer(repeating: 7, count: count), endStream: endStream)
    }
}
