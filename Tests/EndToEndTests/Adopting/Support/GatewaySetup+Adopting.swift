import Testing
import Verification

extension GatewaySetup {
    /// The tenant `app` has an issuer of its own, and leaves `https://id.test`.
    ///
    /// - Parameters:
    ///   - refresh: Further keys of `refresh`.
    ///   - deliver: The keys of `deliver`.
    ///   - tenant: Further keys of the tenant.
    static func adopting(
        _ refresh: String = "",
        from: String = "bearer",
        deliver: String = "header: X-Refreshed-Token",
        tenant: String = "",
        gateway: String = ""
    ) -> GatewaySetup {
        GatewaySetup(
            gateway: gateway,
            tenant: """
                authenticate:
                  from: [\(from)]
                  issuers:
                    - { preset: built-in }
                    - { issuer: "https://id.test", audiences: [app], algorithms: [ES256], jwks_file: "{jwks}" }
                    - \(TestIssuer.entry)
                issuer: { url: "https://own.test", audience: app, algorithm: ES256 }
                refresh:
                  adopt: ["https://id.test"]
                  call: { send: built_in }
                  deliver: { \(deliver) }
                  \(refresh)
                \(tenant)
                """,
            others: """
                other:
                  hosts: [other.test]
                  backend: { servers: ["{backend}"] }
                  authenticate:
                    issuers:
                      - { issuer: "https://id.test", audiences: [app], algorithms: [ES256], jwks_file: "{jwks}" }
                """,
            sealingKeys: sampleSealingKey
        )
    }
}

extension GatewayFixture {
    /// A good token of the former issuer.
    func formerToken(_ claims: JSONObject = ["sid": "old-session"]) throws -> String {
        try token(claims, algorithm: .es256)
    }

    /// The new access token that a response brings in the field; nil for none.
    func adopted(_ response: RawResponse) -> String? {
        let token = response.fields["X-Refreshed-Token"].first
        if let token { keepSecret(token) }
        return token
    }
}
