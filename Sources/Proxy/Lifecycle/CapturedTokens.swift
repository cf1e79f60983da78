package import Tenants
package import Verification

/// A refresh token that the backend has given a client, and its session.
package struct CapturedTokens: Sendable {
    package let tenant: TenantIndex
    package let accessToken: [UInt8]
    package let principal: Principal
    package let refreshToken: [UInt8]
}
