package import Verification

/// A refresh token that the backend has given a client, and the session that it is for.
package struct CapturedTokens: Sendable {
    /// The tenant's place in the configuration.
    package let tenant: Int
    package let accessToken: [UInt8]
    package let principal: Principal
    package let refreshToken: [UInt8]
}
