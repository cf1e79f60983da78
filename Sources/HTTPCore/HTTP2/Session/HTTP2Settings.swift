import NIOCore

/// The peer's SETTINGS (RFC 9113 section 6.5.2), with the defaults that apply until they arrive.
public struct HTTP2Settings: Sendable {
    public enum Identifier {
        static let headerTableSize: UInt16 = 0x1
        static let enablePush: UInt16 = 0x2
        static let maximumConcurrentStreams: UInt16 = 0x3
        static let initialWindowSize: UInt16 = 0x4
        static let maximumFrameSize: UInt16 = 0x5
        public static let maximumHeaderListSize: UInt16 = 0x6
        /// RFC 8441 section 3.
        static let enableConnectProtocol: UInt16 = 0x8
    }

    static let largestWindow = 0x7fff_ffff
    static let initialWindow = 65_535
    static let smallestFrameSize = 16_384
    static let largestFrameSize = 16_777_215

    var headerTableSize = 4096
    /// Until the peer's SETTINGS arrive, the minimum that RFC 9113 recommends.
    @usableFromInline var maximumConcurrentStreams = 100
    var initialWindowSize = initialWindow
    var maximumFrameSize = smallestFrameSize
    /// Advisory only; passed on to callers that ask.
    public var maximumHeaderListSize = Int.max
    public var enablesConnect = false

    public mutating func set(
        _ identifier: UInt16,
        to value: UInt32,
        peerIsServer: Bool
    ) throws(HTTP2Violation) {
        switch identifier {
        case Identifier.headerTableSize: headerTableSize = Int(value)
        case Identifier.enablePush:
            guard value == 0 || value == 1 && !peerIsServer else {
                throw .malformed("SETTINGS_ENABLE_PUSH has a value that is not allowed")
            }
        case Identifier.maximumConcurrentStreams: maximumConcurrentStreams = Int(value)
        case Identifier.initialWindowSize:
            guard value <= Self.largestWindow else {
                throw .connection(.flowControlError, "SETTINGS_INITIAL_WINDOW_SIZE is above 2^31-1")
            }
            initialWindowSize = Int(value)
        case Identifier.maximumFrameSize:
            guard value >= Self.smallestFrameSize, value <= Self.largestFrameSize else {
                throw .malformed("SETTINGS_MAX_FRAME_SIZE has a value that is not allowed")
            }
            maximumFrameSize = Int(value)
        case Identifier.maximumHeaderListSize: maximumHeaderListSize = Int(value)
        case Identifier.enableConnectProtocol:
            // Once enabled, it must not be disabled.
            guard value == 1 || value == 0 && !enablesConnect else {
                throw .malformed("SETTINGS_ENABLE_CONNECT_PROTOCOL has a value that is not allowed")
            }
            enablesConnect = value == 1
        default: break
        }
    }
}

/// The SETTINGS of both sides.
@usableFromInline
struct HTTP2SettingsExchange: Sendable {
    @usableFromInline var peer = HTTP2Settings()
    /// Whether the peer has acknowledged ours. If that takes long, the owner may end the connection with
    /// SETTINGS_TIMEOUT.
    var isAcknowledged = false
}

extension ByteBuffer {
    /// Our SETTINGS frame. Default values are left out.
    mutating func writeSettings(_ limits: HTTP2Limits, role: HTTP2Session.Role) {
        typealias Identifier = HTTP2Settings.Identifier
        let start = writerIndex
        writeFrameHeader(length: 0, kind: HTTP2Frame.Kind.settings, flags: [], stream: 0)
        switch role {
        case .server:
            writeSetting(Identifier.maximumConcurrentStreams, limits.maximumStreams)
            if limits.enablesConnect { writeSetting(Identifier.enableConnectProtocol, 1) }
        case .client: writeSetting(Identifier.enablePush, 0)
        }
        if limits.streamWindow != HTTP2Settings.initialWindow {
            writeSetting(Identifier.initialWindowSize, limits.streamWindow)
        }
        if limits.maximumFrameSize != HTTP2Settings.smallestFrameSize {
            writeSetting(Identifier.maximumFrameSize, limits.maximumFrameSize)
        }
        writeSetting(Identifier.maximumHeaderListSize, limits.maximumHeaderListSize)
        let length = writerIndex - start - HTTP2Frame.headerLength
        setFrameHeader(at: start, length: length, kind: HTTP2Frame.Kind.settings, flags: [], stream: 0)
    }

    private mutating func writeSetting(_ identifier: UInt16, _ value: Int) {
        writeMultipleIntegers(identifier, UInt32(truncatingIfNeeded: value))
    }
}
