/// Who a token was for that is good but for its age. Only `TokenVerifier` makes one.
///
/// It proves who the token WAS for, which is what its session may be renewed by. It grants nothing, ever: whatever a
/// caller may do takes the `Principal` of a token that has not expired.
public struct ExpiredPrincipal: Sendable {
    public let principal: Principal

    init(_ principal: Principal) {
        self.principal = principal
    }
}
