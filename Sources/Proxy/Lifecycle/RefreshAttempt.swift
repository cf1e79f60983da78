import Authorization

/// What has to be known again when new tokens are there.
struct RefreshAttempt {
    let caller: Caller
    /// As the client sent it.
    let token: [UInt8]
    /// From the client's cookie, where that is where it comes from.
    let refreshToken: [UInt8]?
    let way: RefreshDeliveryWay
}
