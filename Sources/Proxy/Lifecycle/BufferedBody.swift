import NIOCore

/// A request's body that the gateway already has: it was kept for a replay, or checked by an endpoint.
final class BufferedBody {
    let bytes: ByteBuffer
    let trailers: [UInt8]
    /// The request that kept it; its share of the budget is returned with this reference.
    private let kept: ReplayableRequest?

    init(_ bytes: ByteBuffer) {
        self.bytes = bytes
        trailers = []
        kept = nil
    }

    init(_ kept: ReplayableRequest) {
        bytes = kept.content
        trailers = kept.trailers
        self.kept = kept
    }
}
