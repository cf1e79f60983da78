import Authorization

/// What is needed when the new tokens arrive.
struct RefreshAttempt {
    let caller: Caller
    /// As the client sent it.
    let token: [UInt8]
    /// From the client's cookie, if it came from there.
    let refreshToken: [UInt8]?
    let way: RefreshDeliveryWay
}
