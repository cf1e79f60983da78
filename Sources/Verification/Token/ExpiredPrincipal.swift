/// The principal of a token that is valid except for its expiry. Only `TokenVerifier` makes one.
///
/// It proves whose token it WAS, which is enough to refresh the session. It never grants anything: access needs the
/// `Principal` of a token that has not expired.
public struct ExpiredPrincipal: Sendable {
    public let principal: Principal

    init(_ principal: Principal) {
        self.principal = principal
    }
}
