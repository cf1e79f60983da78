import NIOCore

/// A request's body that does not come from the client: it was kept, or checked by an endpoint.
final class ContentAtHand {
    let bytes: ByteBuffer
    let trailers: [UInt8]
    /// Where it was kept; the room that it takes is given back with this.
    private let kept: KeptRequest?

    init(_ bytes: ByteBuffer) {
        self.bytes = bytes
        trailers = []
        kept = nil
    }

    init(_ kept: KeptRequest) {
        bytes = kept.content
        trailers = kept.trailers
        self.kept = kept
    }
}
