import Testing
import Verification

extension RealClients {
    /// Authlib discovers the issuer by its metadata and validates each response.
    @Suite struct OpenIDClientTests {
        enum Kind: String, CaseIterable {
            case publicClient = "clans-app"
            case confidential = "clans-server"

            /// The providers alternate.
            var provider: String { self == .publicClient ? "Apple" : "Google" }

            var secret: [String] { self == .publicClient ? [] : [SignInFixture.clientSecret] }
        }

        private static func run(_ kind: Kind, _ fixture: SignInFixture) async throws -> JSONObject {
            let arguments = [
                Program.script("oidc_client"), fixture.clans(), fixture.certificates.file("authority.pem"),
                "\(fixture.app)/back", kind.provider, kind.rawValue,
            ]
            return try jsonLine(try await TestEnvironment.python().succeed(arguments + kind.secret))
        }

        @Test(arguments: Kind.allCases)
        func clientLibrarySignsInRefreshesAndRevokes(_ kind: Kind) async throws {
            try await withSignInFixture { fixture async throws in
                let result = try await Self.run(kind, fixture)
                #expect(result["issuer"]?.string == SignInFixture.issuer)
                #expect(result["iss"]?.string == SignInFixture.issuer)
                let claims = try #require(result["claims"]?.object)
                #expect(claims["aud"]?.string == kind.rawValue)
                #expect(claims["email"] == "alice@example.com")
                #expect(claims["email_verified"] == true)
                #expect(result["at_hash_is_checked"] == true)
                #expect(result["other_nonce"] == "invalid_claim")
                let user = try #require(result["userinfo"]?.object)
                #expect(user["sub"]?.string?.isEmpty == false)
                #expect(user["sub"] == claims["sub"])
                #expect(user["name"] == "Alice Example")
                #expect(result["rotated"] == true)
                #expect(result["subject_after_refresh"] == claims["sub"])
                #expect(result["active"] == (kind == .confidential ? true : nil))
                #expect(result["revoked"] == 200)
                #expect(result["active_after_revocation"] == (kind == .confidential ? false : nil))
                #expect(result["refresh_after_revocation"] == "invalid_grant")
                #expect(result["userinfo_after_revocation"] == 401)
            }
        }
    }
}
