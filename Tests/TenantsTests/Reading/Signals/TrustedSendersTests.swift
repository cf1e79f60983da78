import Testing
import Verification

@testable import Tenants

/// Whose logout tokens and security events a tenant takes.
struct TrustedSendersTests {
    private static func tenant(issuers: String, more: String = "") throws -> Tenant {
        let result = Sample.read(Sample.tenant(issuers: issuers, more: more))
        #expect(result.errors.isEmpty, "\(result.errors)")
        return try #require(result.configuration?.tenants.first)
    }

    private static let issuer =
        "[{ issuer: 'https://id.test', audiences: [api], algorithms: [ES256], jwks_url: 'https://id.test/jwks' }]"

    @Test func issuersAreTrustedWithTheirAudiencesAndAlgorithms() throws {
        let senders = try Self.tenant(issuers: Self.issuer).trustedSenders
        let sender = try #require(senders.first)
        #expect(senders.count == 1)
        #expect(sender.role == .issuer)
        #expect(sender.policy.audiences == ["api"])
        #expect(sender.policy.algorithms == [.es256])
        #expect(sender.source == .remote(RemoteKeySource(location: .keySet(url: "https://id.test/jwks"))))
        #expect(sender.policy(for: "https://id.test/") == nil)
    }

    @Test func theOwnIssuerIsNot() throws {
        let tenant = try Self.tenant(
            issuers: "[{ preset: built-in }]",
            more: "issuer: { url: https://shop.test, audience: a, algorithm: ES256 }"
        )
        #expect(tenant.trustedSenders.isEmpty)
        #expect(!tenant.hasTrustedSenders)
    }

    /// They come first: what needs a secret must not be taken from an issuer of the same name without it.
    @Test func transmittersAreReadWithTheirKeys() throws {
        let tenant = try Self.tenant(
            issuers: Self.issuer,
            more: """
                signals:
                  - { issuer: 'https://hub.test', audience: shop, discovery: true, bearer: 0123456789abcdefg }
                """
        )
        let sender = try #require(tenant.trustedSenders.first)
        #expect(sender.role == .transmitter)
        #expect(sender.policy.issuer == "https://hub.test")
        #expect(sender.policy.audiences == ["shop"])
        #expect(sender.policy.algorithms == [.rs256])
        #expect(sender.source == .remote(RemoteKeySource(location: .discovery(issuer: "https://hub.test"))))
        #expect(sender.bearer == Secret("0123456789abcdefg"))
    }

    @Test func providersOfSignInAreTrustedForTheirClients() throws {
        let tenant = try Self.tenant(
            issuers: "[{ preset: built-in }]",
            more: """
                issuer: { url: https://shop.test, audience: a, algorithm: ES256 }
                sign_in:
                  google: { path: /auth/google, client_ids: [ios], then: issue }
                  providers:
                    company: { issuer: 'https://id.test', client_id: web }
                """
        )
        let senders = tenant.trustedSenders
        let names = senders.map(\.policy.issuer)
        #expect(names.contains("https://accounts.google.com/") && names.contains("https://accounts.google.com"))
        #expect(senders.filter { $0.role == .provider(.google) }.allSatisfy { $0.policy.audiences == ["ios"] })
        let company = try #require(senders.first { $0.role == .provider(.named("company")) })
        #expect(company.policy.audiences == ["web"])
        let symmetric = company.policy.algorithms.filter(\.isSymmetric)
        #expect(symmetric.isEmpty)
    }
}
