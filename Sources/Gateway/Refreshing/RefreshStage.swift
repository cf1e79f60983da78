import NIOCore

/// Where a request stands whose token may be too old, for the gateway or for the backend.
enum RefreshStage {
    /// A refresh may still come.
    case idle
    /// New tokens were asked for; the backend's 401, if there is one, is held back meanwhile.
    case underWay(RefreshAttempt)
    /// There was one, or there can be none: what the backend says next is final.
    case done
}

/// What has to be known again when new tokens are there.
struct RefreshAttempt {
    let caller: Caller
    /// As the client sent it.
    let token: [UInt8]
    /// From the client's cookie, where that is where it comes from.
    let refreshToken: [UInt8]?
    let way: RefreshDeliveryWay
}

/// A request's body when it does not come from a client's connection.
struct BodyInHand {
    let content: ByteBuffer
    let trailers: [UInt8]
}
