import HTTPCore
import NIOCore

/// A request as it is kept until its answer begins, so that it can be made again with a new token.
///
/// Loops keep these for use again: a request that needs no refresh costs the copy of its head.
final class KeptRequest {
    enum Body: Equatable {
        case none
        case underWay
        case whole
        /// It is longer than may be kept, or there is no room.
        case given
    }

    /// As received.
    private(set) var head = ByteBuffer()
    private(set) var content = ByteBuffer()
    /// Whether somebody else has the body too, to write it.
    private var isShared = false
    private(set) var trailers: [UInt8] = []
    private(set) var body = Body.none
    private var limit = 0

    /// - Parameter limit: Bytes of a body that may be kept.
    func keep(_ head: Span<UInt8>, _ framing: RequestFraming, limit: Int) {
        self.head.clear()
        self.head.writeBytes(head.bytes)
        content.clear()
        trailers = []
        self.limit = limit
        switch framing {
        case .none: body = .none
        case .length(let length): body = length <= limit ? .underWay : .given
        case .chunked: body = .underWay
        }
    }

    /// - Parameter room: What all requests of a loop may keep together; what this takes of it is given back by
    ///   ``release(to:)``.
    func keep(_ piece: ByteBuffer, room: inout Int) {
        guard body == .underWay else { return }
        let count = piece.readableBytes
        guard content.readableBytes + count <= limit, count <= room else {
            release(to: &room)
            body = .given
            return
        }
        room -= count
        content.writeImmutableBuffer(piece)
    }

    func bodyEnded(trailers: [UInt8]) {
        guard body == .underWay else { return }
        self.trailers = trailers
        body = .whole
    }

    /// Whether the request can be made again as it was.
    var isWhole: Bool { body == .none || body == .whole }

    /// The body, to be sent again.
    func takeBody() -> BodyInHand {
        isShared = true
        return BodyInHand(content: content, trailers: trailers)
    }

    /// Lets go of the body.
    func release(to room: inout Int) {
        room += content.readableBytes
        // What one long body took is not held for the short ones that follow.
        if isShared || content.capacity > Self.mostCapacity { content = ByteBuffer() } else { content.clear() }
        isShared = false
        body = .none
    }

    private static let mostCapacity = 16 << 10
}
