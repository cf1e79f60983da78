import Tenants
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider

struct ClientAuthenticationTests {
    private static let start = IssuerFixture.start
    private static let secret = "kzI+ABc/09=="

    /// Presents an unknown refresh token: an authenticated client gets `invalid_grant`.
    private func outcome(_ fixture: IssuerFixture, _ form: Parameters, _ authorization: String? = nil) async throws
        -> String
    {
        let form = [("grant_type", "refresh_token"), ("refresh_token", "nobodys")] + form
        return try await fixture.post(.token, form, authorization: authorization).outcome
    }

    @Test func clientAuthenticatesWithItsCredentials() async throws {
        let fixture = try IssuerFixture()
        let known = "400 invalid_grant"
        #expect(try await outcome(fixture, IssuerClient.mobile.credentials) == known)
        #expect(try await outcome(fixture, IssuerClient.board.credentials) == known)
        #expect(try await outcome(fixture, [], IssuerClient.board.basic) == known)
        #expect(try await outcome(fixture, [("client_id", "board")], IssuerClient.board.basic) == known)
        #expect(try await outcome(fixture, IssuerClient.service.credentials) == known)
        #expect(try await outcome(fixture, [], IssuerClient.service.basic) == known)
        // Unencoded, as many clients send it.
        #expect(try await outcome(fixture, [], IssuerClient.basic("board", Self.secret)) == known)
        #expect(try await outcome(fixture, [], "basic" + IssuerClient.board.basic.dropFirst(5)) == known)
        #expect(fixture.log.lines.isEmpty)
    }

    @Test(arguments: [
        ("", nil as String?), ("client_id=nobody", nil), ("client_id=nobody&client_secret=x", nil),
        ("client_id=board", nil), ("client_id=board&client_secret=", nil), ("client_id=board&client_secret=x", nil),
        ("client_id=board&client_secret=kzI%2BABc/09=", nil), ("client_id=board&client_secret=kzi%2BABc/09==", nil),
        ("client_id=mobile&client_secret=x", nil), ("client_id=Mobile", nil), ("client_id=mobile+", nil),
        ("client_id=mobile", "Bearer abc"), ("client_id=mobile", "Basic"), ("client_id=mobile", "Basic !"),
        ("client_id=mobile", "Basic bW9iaWxl"), ("", IssuerClient.basic("board", "x")),
        ("", IssuerClient.basic("board", "")), ("", IssuerClient.basic("mobile", "x")),
        ("", IssuerClient.basic("nobody", "x")), ("", IssuerClient.basic("bo%zzard", secret)),
        ("", IssuerClient.basic("", secret)), ("", IssuerClient.basic("board", secret + "\u{0}")),
    ])
    func wrongCredentialsAreRefused(_ form: String, _ authorization: String?) async throws {
        let fixture = try IssuerFixture()
        let text = "grant_type=refresh_token&refresh_token=x&" + form
        let response = try await fixture.post(.token, text: text, authorization: authorization)
        #expect(response.outcome == "401 invalid_client")
        #expect(response.field("WWW-Authenticate") == "Basic realm=\"clans\"")
        #expect(response.field("Cache-Control") == "no-store")
    }

    @Test(arguments: [
        ("client_id=board&client_secret=x", IssuerClient.board.basic), ("client_secret=x", IssuerClient.board.basic),
        ("client_id=mobile", IssuerClient.board.basic), ("client_id=Board", IssuerClient.board.basic),
    ])
    func credentialsInTwoPlacesAreRefused(_ form: String, _ authorization: String) async throws {
        let fixture = try IssuerFixture()
        let text = "grant_type=refresh_token&refresh_token=x&" + form
        let response = try await fixture.post(.token, text: text, authorization: authorization)
        #expect(response.outcome == "400 invalid_request")
    }

    @Test func unknownClientGetsSameResponseAsWrongSecret() async throws {
        let fixture = try IssuerFixture()
        let wrong = try await fixture.post(.token, text: "grant_type=x&client_id=board&client_secret=x")
        let unknown = try await fixture.post(.token, text: "grant_type=x&client_id=nobody&client_secret=x")
        let missing = try await fixture.post(.token, text: "grant_type=x&client_id=board")
        #expect(wrong == unknown)
        #expect(wrong == missing)
    }

    @Test(arguments: ["board", "nobody", "mobile"])
    func repeatedFailuresAreRateLimited(_ name: String) async throws {
        let fixture = try IssuerFixture()
        let text = "grant_type=x&client_id=\(name)&client_secret=x"
        for _ in 0..<10 { #expect(try await fixture.post(.token, text: text).outcome == "401 invalid_client") }
        let response = try await fixture.post(.token, text: text)
        #expect(response.outcome == "429 temporarily_unavailable")
        #expect(response.field("Retry-After") == "1")
        #expect(try await fixture.post(.token, text: text, at: Self.start + 1).outcome == "401 invalid_client")
    }

    @Test func guessesPastTheLimitAreNotCompared() async throws {
        let fixture = try IssuerFixture()
        for guess in 0..<10 {
            _ = try await fixture.post(.token, text: "grant_type=x&client_id=board&client_secret=\(guess)")
        }
        let right = FormText.text(of: [("grant_type", "x")] + IssuerClient.board.credentials)
        #expect(try await fixture.post(.token, text: right).outcome == "429 temporarily_unavailable")
        let field = try await fixture.post(.token, text: "grant_type=x", authorization: IssuerClient.board.basic)
        #expect(field.outcome == "429 temporarily_unavailable")
        #expect(try await fixture.post(.token, text: right, at: Self.start + 1).outcome == "400 unsupported_grant_type")
    }

    @Test func failuresElsewhereDoNotLockClientOut() async throws {
        let fixture = try IssuerFixture()
        for name in ["board", "mobile", "nobody"] {
            for _ in 0..<12 {
                _ = try await fixture.post(.token, text: "grant_type=x&client_id=\(name)&client_secret=x")
            }
        }
        let known = "400 unsupported_grant_type"
        let right = FormText.text(of: [("grant_type", "x")] + IssuerClient.board.credentials)
        #expect(try await fixture.post(.token, text: right, from: [192, 0, 2, 2]).outcome == known)
        // From the same address: another client, and a public one, which has no secret to guess.
        let service = FormText.text(of: [("grant_type", "x")] + IssuerClient.service.credentials)
        #expect(try await fixture.post(.token, text: service).outcome == known)
        #expect(try await fixture.post(.token, text: "grant_type=x&client_id=mobile").outcome == known)
    }

    @Test func failuresAreLoggedWithoutUnknownNames() async throws {
        let fixture = try IssuerFixture()
        for text in [
            "client_id=board&client_secret=guess", "client_id=guess", "client_id=mobile&client_secret=guess", "x=guess",
        ] {
            _ = try await fixture.post(.token, text: "grant_type=x&" + text)
        }
        let clients = ["board", "unknown", "mobile", "unknown"]
        try #require(fixture.log.lines.count == clients.count)
        for (line, client) in zip(fixture.log.lines, clients) {
            #expect(line.hasPrefix("notice a client did not authenticate"))
            #expect(line.contains("client=\(client)") && line.contains("tenant=clans"))
            #expect(!line.contains("guess") && !line.contains("192.0.2"))
        }
    }

    @Test func clientEndpointsRequireAuthentication() async throws {
        let fixture = try IssuerFixture()
        for endpoint in [Endpoint.token, .revoke, .introspect] {
            let form: Parameters = [("grant_type", "refresh_token"), ("token", "x"), ("client_id", "board")]
            #expect(try await fixture.post(endpoint, form).outcome == "401 invalid_client")
        }
    }

    @Test func randomAuthorizationFieldIsRefused() async throws {
        let fixture = try IssuerFixture()
        var random = SplitMix64(seed: 6749)
        let alphabet = Array("Basic barer:%+/=0123\t\u{0}é".unicodeScalars)
        for _ in 0..<2000 {
            let noise = String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0..<24, using: &random)).map { _ in
                        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                    }
                )
            )
            let field = Bool.random(using: &random) ? "Basic \(noise)" : IssuerClient.basic(noise, noise)
            let response = try await fixture.post(.token, text: "grant_type=x", authorization: field)
            #expect([401, 429].contains(response.status))
            let bytes = random.bytes(Int.random(in: 0..<40, using: &random))
            let plain = Base64URL.encode(Array("u:".utf8) + bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
            #expect(try #require(AuthorizationField.basic("Basic " + String(plain))).password == bytes)
        }
    }
}
