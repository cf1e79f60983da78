public import NIOCore

/// The parts of a TLS connection's first message that select its identity (RFC 8446 section 4.1.2).
public struct ClientHello: Equatable, Sendable {
    /// The requested host (RFC 6066 section 3): visible ASCII in lower case, without a trailing dot.
    public var serverName: String?
    /// The offered protocols (RFC 7301); nil if there is no such extension.
    public var applicationProtocols: [String]?

    public init(serverName: String? = nil, applicationProtocols: [String]? = nil) {
        self.serverName = serverName
        self.applicationProtocols = applicationProtocols
    }
}

/// Finds the ClientHello in a connection's first bytes.
///
/// It only reads: the same bytes go to the TLS library afterwards, which validates them. Anything unusual is therefore
/// `.unreadable` here, and gets the default identity and the library's own alert.
public struct ClientHelloReader: Sendable {
    public enum Outcome: Equatable, Sendable {
        case needsMore
        case hello(ClientHello)
        case unreadable
        /// Text, such as plain HTTP: the first byte of TLS is below 0x20 or above 0x7f.
        case plainText
    }

    /// The library's own limit for the message.
    private static let longestMessage = 16384
    /// Split into tiny records, the message takes at most six times its size; longer ones are refused.
    private static let mostBytes = 32 << 10
    private static let handshake: UInt8 = 22
    private static let clientHello: UInt8 = 1

    /// How many of the bytes went into `message`.
    private var consumed = 0
    private var message = ByteBuffer()

    public init() {}

    /// - Parameter bytes: All bytes received so far. Between calls they may only grow.
    public mutating func read(_ bytes: ByteBuffer) -> Outcome {
        if let first = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self), first >= 0x20, first <= 0x7e {
            return .plainText
        }
        // A message may be spread over records (RFC 8446 section 5.1).
        while let header = bytes.getBytes(at: bytes.readerIndex + consumed, length: 5) {
            let length = Int(header[3]) << 8 | Int(header[4])
            guard header[0] == Self.handshake, header[1] == 3, length > 0, length <= Self.longestMessage else {
                return .unreadable
            }
            guard let fragment = bytes.getSlice(at: bytes.readerIndex + consumed + 5, length: length) else { break }
            message.writeImmutableBuffer(fragment)
            consumed += 5 + length
            if let outcome = outcome() { return outcome }
        }
        return bytes.readableBytes > Self.mostBytes ? .unreadable : .needsMore
    }

    private func outcome() -> Outcome? {
        var message = self.message
        guard message.getInteger(at: message.readerIndex, as: UInt8.self) == Self.clientHello else {
            return .unreadable
        }
        guard let typeAndLength = message.readInteger(as: UInt32.self) else { return nil }
        let length = Int(typeAndLength & 0xff_ffff)
        guard length <= Self.longestMessage else { return .unreadable }
        guard let body = message.readSlice(length: length) else { return nil }
        return ClientHello(body).map { .hello($0) } ?? .unreadable
    }
}

extension ClientHello {
    fileprivate init?(_ message: ByteBuffer) {
        var message = message
        // legacy_version and random
        guard message.readSlice(length: 2 + 32) != nil,
            message.readVector(UInt8.self) != nil,  // legacy_session_id
            message.readVector(UInt16.self) != nil,  // cipher_suites
            message.readVector(UInt8.self) != nil  // legacy_compression_methods
        else { return nil }
        // TLS 1.2 allows a message without extensions (RFC 5246 section 7.4.1.2).
        if message.readableBytes == 0 { return }
        guard var extensions = message.readVector(UInt16.self), message.readableBytes == 0 else { return nil }
        while extensions.readableBytes > 0 {
            guard let kind = extensions.readInteger(as: UInt16.self), let body = extensions.readVector(UInt16.self)
            else { return nil }
            switch kind {
            case 0: guard readServerName(body) else { return nil }
            case 16: guard readApplicationProtocols(body) else { return nil }
            default: break
            }
        }
    }

    private mutating func readServerName(_ body: ByteBuffer) -> Bool {
        var body = body
        guard var list = body.readVector(UInt16.self), list.readInteger(as: UInt8.self) == 0,
            let name = list.readVector(UInt16.self), name.readableBytes > 0
        else { return false }
        guard name.readableBytesView.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return false }
        let text = String(buffer: name).lowercased()
        serverName = text.hasSuffix(".") ? String(text.dropLast()) : text
        return true
    }

    private mutating func readApplicationProtocols(_ body: ByteBuffer) -> Bool {
        var body = body
        guard var list = body.readVector(UInt16.self) else { return false }
        var names: [String] = []
        while list.readableBytes > 0 {
            guard let name = list.readVector(UInt8.self) else { return false }
            // A GREASE name (RFC 8701) may be invalid UTF-8; then it matches none of ours.
            names.append(String(buffer: name))
        }
        applicationProtocols = names
        return true
    }
}

extension ByteBuffer {
    /// A vector preceded by its length (RFC 8446 section 3.4).
    fileprivate mutating func readVector<Length: FixedWidthInteger>(_: Length.Type) -> ByteBuffer? {
        readLengthPrefixedSlice(as: Length.self)
    }
}
