import Testing
import Verification

extension RealClients {
    /// Programs and libraries in wide use sign users in at the built-in issuer, by its hosted page.
    @Suite struct RelyingPartyTests {
        enum RelyingParty: String, CaseIterable {
            /// A library that was itself written for the certification of relying parties.
            case idpyoidc = "idpyoidc_app"
            case requestsOAuth2Client = "oauth2client_app"
            /// Debian's module of Apache.
            case modAuthOpenIDC = "mod_auth_openidc_app"
            /// The OAuth 2 filter of Envoy.
            case envoy = "envoy_app"

            /// Envoy refreshes when a token has expired, and not before.
            var accessTokens: String { self == .envoy ? "2s" : "1h" }
        }

        @Test(arguments: RelyingParty.allCases)
        func relyingPartySignsInRefreshesAndLogsOut(_ party: RelyingParty) async throws {
            let result = try await ProviderFixture.run(
                "relying_parties/\(party.rawValue)",
                accessTokens: party.accessTokens
            )
            let claims = try #require(result["claims"]?.object)
            #expect(claims["sub"] == "user-001234.0123456789abcdef0123456789abcdef.0123")
            #expect(claims["email"] == "alice@example.com")
            #expect(claims["name"] == "Alice Example")
            #expect(result["refreshed"] == true)
            #expect(result["logged_out"] == true)
        }
    }
}
