import Store
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// `dpop_jkt` on its way from the authorization request to the code (RFC 9449 section 10).
struct BoundCodeTests {
    private static let thumbprint = SHA256.digest([1])
    private static let name = Base64URL.encode(thumbprint)

    private static func good(_ name: String) -> [(name: String, value: String)] {
        BrowserSignInFixture.good + [("dpop_jkt", name)]
    }

    @Test func thumbprintIsStoredWithCode() async throws {
        let fixture = try BrowserSignInFixture(proof: ProofRules())
        let page = try await fixture.authorize(Self.good(Self.name))
        #expect(page.status == 200)
        let visit = try await BrowserVisit(fixture, .google, Self.good(Self.name))
        let response = try await fixture.response(visit.back(.googleCallback))
        let code = try #require(try response.locationFields["code"])
        guard case .fresh(let grant, _) = try await fixture.codes.find(code, at: BrowserSignInFixture.start + 6) else {
            throw Unexpected(what: "no code")
        }
        #expect(grant.keyThumbprint == Self.thumbprint)
        #expect(grant.isBound(to: TokenBinding(TokenConfirmation(keyThumbprint: Self.thumbprint), bindsSession: true)))
        #expect(!grant.isBound(to: nil))
        let certificate = TokenConfirmation(certificateThumbprint: Self.thumbprint)
        #expect(!grant.isBound(to: TokenBinding(certificate, bindsSession: true)))
    }

    @Test(arguments: ["short", String(repeating: "A", count: 44), "~" + String(repeating: "A", count: 42)])
    func malformedThumbprintIsRefused(_ text: String) async throws {
        let fixture = try BrowserSignInFixture(proof: ProofRules())
        let response = try await fixture.authorize(Self.good(text))
        let fields = try response.locationFields
        #expect(fields["error"] == "invalid_request" && fields["code"] == nil)
    }

    /// Unknown parameters are ignored (RFC 6749 section 3.1).
    @Test func thumbprintIsIgnoredWithoutDPoP() async throws {
        let fixture = try BrowserSignInFixture()
        for text in [Self.name, "short"] {
            #expect(try await fixture.authorize(Self.good(text)).status == 200)
        }
        let visit = try await BrowserVisit(fixture, .google, Self.good(Self.name))
        let code = try #require(try await fixture.response(visit.back(.googleCallback)).locationFields["code"])
        guard case .fresh(let grant, _) = try await fixture.codes.find(code, at: BrowserSignInFixture.start + 6) else {
            throw Unexpected(what: "no code")
        }
        #expect(grant.keyThumbprint == nil && grant.isBound(to: nil))
    }

    /// A garbled thumbprint matches no key.
    @Test func transactionStoresThumbprint() throws {
        var request = AuthorizationRequest(
            client: ClientReturn(kept: "c", redirectURI: "app://back", state: nil),
            scopes: ["openid"],
            nonce: nil,
            codeChallenge: BrowserSignInFixture.challenge
        )
        request.keyThumbprint = Self.thumbprint
        let transaction = SignInTransaction(
            purpose: .client(request),
            legs: [:],
            bindingHash: [1],
            expiresAt: 1_800_000_600,
            posted: nil
        )
        #expect(SignInTransaction(json: transaction.json) == transaction)
        let garbled = String(decoding: transaction.json, as: UTF8.self).replacing(Self.name, with: "?")
        guard case .client(let read)? = SignInTransaction(json: Array(garbled.utf8))?.purpose else {
            throw Unexpected(what: "no sign-in")
        }
        #expect(read.keyThumbprint == [])
    }
}
