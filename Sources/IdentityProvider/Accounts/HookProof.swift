package import Time
public import TokenSigning
package import Verification

/// Signs the gateway's requests to a tenant's backend with the tenant's issuer, so that the backend can tell them from
/// others (`typ: hook+jwt`).
public struct HookProof: Sendable {
    /// Seconds.
    private static let lifetime = 60

    private let issuer: String
    private let keys: any IssuerKeys

    /// - Parameter issuer: The URL of the tenant's issuer.
    public init(issuer: String, keys: any IssuerKeys) {
        self.issuer = issuer
        self.keys = keys
    }

    /// - Parameters:
    ///   - audience: Where the request goes.
    ///   - further: Further claims.
    /// - Returns: The value of `Authorization`.
    package func field(
        for body: [UInt8],
        audience: String,
        further: JSONObject = JSONObject(),
        at now: UnixTime
    ) async throws(SigningProblem) -> EndpointResponse.Field {
        let issuedAt = Int(now.seconds.rounded(.down))
        var claims: JSONObject = [
            "iss": .string(issuer),
            "aud": .string(audience),
            "iat": .number(JSONNumber(issuedAt)),
            "exp": .number(JSONNumber(issuedAt + Self.lifetime)),
            "jti": .string(Base64URL.encode(RandomBytes.make(16))),
            "body_sha256": .string(Base64URL.encode(SHA256.digest(body))),
        ]
        for member in further.members { claims[member.name] = member.value }
        return EndpointResponse.Field("Authorization", "Bearer \(try await keys.sign(claims, as: .hook))")
    }
}
