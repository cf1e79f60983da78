import TestSupport
import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants

/// What is known of providers before and after a reload.
struct ProviderMetadataTests {
    private static let url = NamedProvider.issuer + "/.well-known/openid-configuration"

    private let requests = ScriptedRequests([
        url: .json([
            "issuer": .string(NamedProvider.issuer), "authorization_endpoint": "https://id.example/authorize",
            "token_endpoint": "https://id.example/token",
        ])
    ])

    private func metadata(_ providers: [NamedProvider], after previous: ProviderMetadata? = nil) -> ProviderMetadata {
        var signIn = SignIn()
        signIn.named = providers
        return ProviderMetadata(signIn, previous: previous, requests: requests, logger: RecordedLog().logger)
    }

    @Test func sameServiceIsNotAskedAgain() async throws {
        var provider = try NamedProvider.openID()
        let before = metadata([provider])
        _ = try await before.source(of: provider)?.metadata(at: SignedByProviders.now)
        provider.clientID = "another"
        let after = metadata([provider], after: before)
        #expect(try await after.source(of: provider)?.metadata(at: SignedByProviders.now) != nil)
        #expect(requests.requests.count == 1)
    }

    /// The name alone says nothing.
    @Test func otherServiceOfTheNameIsAsked() async throws {
        let provider = try NamedProvider.openID()
        let before = metadata([provider])
        _ = try await before.source(of: provider)?.metadata(at: SignedByProviders.now)
        let other = try NamedProvider.openID(issuer: "https://other.example")
        let after = metadata([other], after: before)
        await #expect(throws: EndpointRefusal.self) {
            _ = try await after.source(of: other)?.metadata(at: SignedByProviders.now)
        }
        #expect(requests.requests.count == 2)
        #expect(metadata([try .codeHost()], after: after).source(of: other) == nil)
    }
}
