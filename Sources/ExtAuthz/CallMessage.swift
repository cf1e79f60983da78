internal import NIOCore

/// The one message of a call as it arrives (gRPC over HTTP/2, "Length-Prefixed-Message").
struct CallMessage {
    /// A flag for compression and the length in four bytes.
    static let prefixLength = 5

    private let maximumLength: Int
    private var bytes = ByteBuffer()

    /// - Parameter maximumLength: Bytes of the message without its prefix.
    init(maximumLength: Int) {
        self.maximumLength = maximumLength
    }

    /// - Throws: As soon as it is too long, compressed or more than one.
    mutating func append(_ more: ByteBuffer) throws(CallStatus) {
        if bytes.readableBytes == 0 { bytes = more } else { bytes.writeImmutableBuffer(more) }
        guard let flag = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else { return }
        guard flag == 0 else {
            throw flag == 1
                ? CallStatus(.unimplemented, "compression is not supported")
                : CallStatus(.internalError, "Failed to decode message")
        }
        guard let length else { return }
        guard length <= maximumLength else {
            throw CallStatus(.resourceExhausted, "the message is longer than \(maximumLength) bytes")
        }
        guard bytes.readableBytes <= Self.prefixLength + length else {
            throw CallStatus(.internalError, "Too many messages.")
        }
    }

    /// The message without its prefix, once all has come.
    func whole() throws(CallStatus) -> ByteBuffer {
        guard let length, let message = bytes.getSlice(at: bytes.readerIndex + Self.prefixLength, length: length) else {
            throw CallStatus(.internalError, "Empty stream.")
        }
        return message
    }

    private var length: Int? {
        bytes.getInteger(at: bytes.readerIndex + 1, as: UInt32.self).map(Int.init)
    }
}
