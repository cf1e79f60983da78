package import Time
package import Verification

@testable package import Tenants

/// A tenant that trusts one issuer, and tokens of it.
package enum SampleTenant {
    /// Unix seconds.
    package static let now = UnixTime(1_800_000_000)
    package static let issuer = "https://issuer.test"
    private static let secret = Array("a secret of these tests that is long enough for HS256".utf8)
    private static let otherSecret = Array("another secret, with which nobody here should be convinced".utf8)

    /// One at `app.test` that takes tokens of ``issuer``.
    package static func tenant(
        name: String = "app",
        host: String = "app.test",
        from: [TokenSource] = [.bearer]
    ) throws -> Tenant {
        let issuer = IssuerPolicy(
            issuer: issuer,
            algorithms: [.hs256],
            keys: try KeySet(secret: secret, algorithms: [.hs256])
        )
        return Tenant(
            TenantSettings(
                name: name,
                hosts: [.exact(host)],
                backends: [Backend(servers: [BackendServer(address: HostPort(host: "127.0.0.1", port: 9))])],
                authenticate: Authentication(from: from, policy: VerificationPolicy(issuers: [issuer], leeway: 60))
            )
        )
    }

    /// Alice's token, good for ten minutes from ``now``.
    package static func token(
        _ changes: KeyValuePairs<String, JSONValue?> = [:],
        forged: Bool = false
    ) throws -> String {
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": "alice", "email": "alice@example.test", "role": "customer",
            "scope": "read write", "exp": .number(JSONNumber(Int(now.seconds) + 600)),
        ]
        for (name, value) in changes { claims[name] = value }
        return try TokenSigner(SigningKey(secret: forged ? otherSecret : secret), algorithm: .hs256).sign(claims)
    }

    /// A token with these claims alone.
    package static func token(of claims: JSONObject) throws -> String {
        try TokenSigner(SigningKey(secret: secret), algorithm: .hs256).sign(claims)
    }
}
