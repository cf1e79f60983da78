import Testing
import Verification

/// Which of the cookies that a client may send is the token (RFC 6265 sections 4.2 and 5.4).
@Suite struct CookieTests {
    private static let setup = GatewaySetup(
        tenant: """
            authenticate:
              from: ["cookie:auth-token"]
              issuers:
                - { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${HOUSE_SECRET}" }
            """
    )

    /// Expects the same answer to each Cookie field, or fields.
    private func expect(
        _ status: Int,
        _ code: String? = nil,
        for cookies: (_ alice: String, _ bob: String) -> [[String]]
    ) async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let alice = try fixture.token()
            let bob = try fixture.token(["sub": "bob"])
            let cases = cookies(alice, bob)
            for (index, values) in cases.enumerated() {
                let response = try await fixture.request("/x", fields: values.map { "Cookie: \($0)" })
                if let code {
                    expectRefusal(response, status, code, "\(index)")
                } else {
                    #expect(response.status == status, "\(index)")
                    guard status == 200, response.status == 200 else { continue }
                    #expect(try await fixture.backend.arrivals.next().fields["X-User-Id"] == ["alice"], "\(index)")
                }
            }
            if status != 200 { #expect(fixture.backend.requests.isEmpty) }
        }
    }

    @Test func theTokenIsFoundAmongOtherCookies() async throws {
        try await expect(200) { alice, _ in
            [
                ["auth-token=\(alice)"], ["a=b; auth-token=\(alice)"], ["auth-token=\(alice); a=b"],
                ["a=b;auth-token=\(alice);c=d"], ["a=b;   auth-token=\(alice)  ;c=d"], [";;auth-token=\(alice);;"],
                ["auth-token=\(alice);"], ["a; auth-token=\(alice); b"], ["=x; auth-token=\(alice); ="],
            ]
        }
    }

    @Test func aQuotedValueIsTheTokenWithoutItsQuotes() async throws {
        try await expect(200) { alice, _ in
            [["auth-token=\"\(alice)\""], ["a=\"b\"; auth-token=\"\(alice)\"; c=\"d\""]]
        }
    }

    @Test func halfAQuoteBelongsToTheValue() async throws {
        try await expect(401, "invalid_token") { alice, _ in
            [["auth-token=\"\(alice)"], ["auth-token=\(alice)\""], ["auth-token=\"\"\(alice)\"\""]]
        }
    }

    @Test func spaceAroundNameAndValueDoesNotCount() async throws {
        try await expect(200) { alice, _ in
            [["auth-token= \(alice)"], [" auth-token=\(alice)"], ["auth-token =\(alice)"], ["\tauth-token=\(alice)\t"]]
        }
    }

    @Test func spaceInsideTheValueMakesItInvalid() async throws {
        try await expect(401, "invalid_token") { alice, _ in
            [
                ["auth-token=\(alice) x"], ["auth-token=x \(alice)"],
                ["auth-token=\(alice.prefix(9)) \(alice.dropFirst(9))"],
            ]
        }
    }

    @Test func onlyTheFirstEqualsSignEndsTheName() async throws {
        try await expect(200) { alice, _ in
            [
                ["a==; auth-token=\(alice)"], ["a=b=c; auth-token=\(alice); d=e=f="],
                ["a=auth-token=x; auth-token=\(alice)"],
            ]
        }
        try await expect(401, "invalid_token") { alice, _ in
            [["auth-token==\(alice)"], ["auth-token=\(alice)="], ["auth-token=a=\(alice)"]]
        }
        try await expect(401, "missing_token") { alice, _ in [["a=auth-token=\(alice)"], ["=auth-token=\(alice)"]] }
    }

    @Test func anEmptyValueIsNoToken() async throws {
        try await expect(401, "missing_token") { _, _ in
            [["auth-token="], ["auth-token=\"\""], ["auth-token=  "], ["auth-token"], ["auth-token=; a=b"], [""]]
        }
        try await expect(200) { alice, _ in
            [["auth-token=; auth-token=\(alice)"], ["auth-token=\(alice); auth-token="]]
        }
    }

    @Test func theSameTokenTwiceIsOne() async throws {
        try await expect(200) { alice, _ in
            [
                ["auth-token=\(alice); auth-token=\(alice)"], ["auth-token=\(alice); a=b; auth-token=\"\(alice)\""],
                ["auth-token=\(alice)", "auth-token=\(alice)"],
            ]
        }
    }

    @Test func twoDifferentTokensAreRefused() async throws {
        try await expect(400, "bad_request") { alice, bob in
            [
                ["auth-token=\(alice); auth-token=\(bob)"], ["auth-token=\(alice); a=b; auth-token=x"],
                ["auth-token=x; auth-token=\(alice)"], ["auth-token=\(alice)", "auth-token=\(bob)"],
                ["auth-token=\(alice); auth-token=\(alice); auth-token=\(bob)"],
                ["auth-token=\(alice); auth-token=\(bob); auth-token=\(alice)"],
                ["auth-token=\(alice)", "a=b", "auth-token=\(bob); auth-token=\(alice)"],
            ]
        }
    }

    @Test func namesThatLookAlikeAreOtherCookies() async throws {
        try await expect(401, "missing_token") { alice, _ in
            [
                "auth-token2", "xauth-token", "auth-toke", "auth-token-", "-auth-token", "Auth-Token", "AUTH-TOKEN",
                "auth_token", "__Host-auth-token", "__Secure-auth-token", "auth-token[]", "\"auth-token\"",
                "auth%2Dtoken", "auth-token\u{a0}", "$auth-token",
            ].map { ["\($0)=\(alice)"] }
        }
        try await expect(200) { alice, bob in
            [
                ["auth-token2=\(bob); auth-token=\(alice)"], ["xauth-token=\(bob); auth-token=\(alice)"],
                ["auth-token=\(alice); Auth-Token=\(bob)"], ["__Host-auth-token=\(bob); auth-token=\(alice)"],
            ]
        }
    }

    @Test func twoCookieFieldsAreOneList() async throws {
        try await expect(200) { alice, _ in
            [
                ["a=b", "auth-token=\(alice)"], ["auth-token=\(alice)", "a=b"],
                ["a=b; c=d", "e=f; auth-token=\(alice); g=h"],
            ]
        }
    }

    @Test func aCommaDoesNotPartCookies() async throws {
        try await expect(401, "missing_token") { alice, _ in [["a=b, auth-token=\(alice)"]] }
        try await expect(401, "invalid_token") { alice, _ in [["auth-token=\(alice), a=b"]] }
    }
}
