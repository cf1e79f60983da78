import Testing
import Verification

/// Where a request's token is found: bearer, cookie, query or header, in the order of `from`.
@Suite struct TokenPlaceTests {
    private static func from(_ places: String) -> GatewaySetup {
        GatewaySetup(
            tenant: """
                authenticate:
                  from: [\(places)]
                  issuers:
                    - { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${HOUSE_SECRET}" }
                """
        )
    }

    @Test func withoutATokenTheChallengeHasNoError() async throws {
        try await withGateway { fixture async throws in
            expectChallenge(try await fixture.request("/x"), 401, "missing_token", error: nil)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func theBearerSchemeIsMatchedWhateverItsCase() async throws {
        try await withGateway { fixture async throws in
            let token = try fixture.token()
            for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
                let response = try await fixture.request("/x", fields: ["authorization: \(scheme) \(token)"])
                #expect(response.status == 200, "\(scheme)")
            }
        }
    }

    @Test func anotherSchemeIsNoToken() async throws {
        try await withGateway { fixture async throws in
            let token = try fixture.token()
            for value in ["Basic YWxpY2U6c2VjcmV0", "Digest x=y", token, "Bearer\(token)", "Token \(token)"] {
                let response = try await fixture.request("/x", fields: ["Authorization: \(value)"])
                expectChallenge(response, 401, "missing_token", error: nil, value)
            }
        }
    }

    @Test func anEmptyBearerIsNotLetThrough() async throws {
        try await withGateway { fixture async throws in
            for value in ["Bearer", "Bearer ", "Bearer    ", ""] {
                let response = try await fixture.request("/x", fields: ["Authorization: \(value)"])
                #expect(response.status == 401, "\"\(value)\"")
                let code = Problem(response)?.code
                #expect(code == "missing_token" || code == "invalid_token", "\"\(value)\"")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func spacesBetweenSchemeAndTokenDoNotCount() async throws {
        try await withGateway { fixture async throws in
            let response = try await fixture.request(
                "/x",
                fields: ["Authorization:  Bearer   \(try fixture.token())  "]
            )
            #expect(response.status == 200)
        }
    }

    @Test func spaceInsideATokenMakesItInvalid() async throws {
        try await withGateway { fixture async throws in
            let token = try fixture.token()
            for value in [
                "\(token) x", "\(token), Bearer \(token)", "x \(token)", "\(token.dropLast(3)) \(token.suffix(3))",
            ] {
                let response = try await fixture.request("/x", fields: ["Authorization: Bearer \(value)"])
                #expect(response.status == 401 || response.status == 400, "\(value)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func onlyTheNamedPlacesAreLookedAt() async throws {
        try await withGateway { fixture async throws in
            let token = try fixture.token()
            expectRefusal(try await fixture.request("/x?token=\(token)"), 401, "missing_token")
            expectRefusal(try await fixture.request("/x", fields: ["Cookie: token=\(token)"]), 401, "missing_token")
            expectRefusal(try await fixture.request("/x", fields: ["X-Token: \(token)"]), 401, "missing_token")
        }
    }

    @Test func aCookieHoldsTheToken() async throws {
        try await withGateway(Self.from("\"cookie:session\"")) { fixture async throws in
            let token = try fixture.token()
            for cookies in [
                "session=\(token)", "a=b; session=\(token); c=d", "a=b;session=\(token)", "session=\(token);",
            ] {
                #expect(try await fixture.request("/x", fields: ["Cookie: \(cookies)"]).status == 200)
            }
            for cookies in [
                "Session=\(token)", "xsession=\(token)", "session2=\(token)", "a=session=\(token)", "session=",
            ] {
                #expect(try await fixture.request("/x", fields: ["Cookie: \(cookies)"]).status == 401)
            }
        }
    }

    @Test func aTokenInsideAnotherCookiesValueIsNotTaken() async throws {
        try await withGateway(Self.from("\"cookie:session\"")) { fixture async throws in
            let response = try await fixture.request(
                "/x",
                fields: ["Cookie: a=\"x; session=\(try fixture.token()); y\""]
            )
            // A quoted value has no ";" (RFC 6265 section 4.1.1): splitting there is the one reading servers share.
            #expect([200, 400, 401].contains(response.status))
            #expect(fixture.backend.requests.allSatisfy { $0.fields["X-User-Id"] == ["alice"] })
        }
    }

    @Test func theQueryHoldsTheToken() async throws {
        try await withGateway(Self.from("\"query:token\"")) { fixture async throws in
            let token = try fixture.token()
            for query in ["token=\(token)", "a=b&token=\(token)&c", "tok%65n=\(token)"] {
                #expect(try await fixture.request("/x?\(query)").status == 200)
            }
            for query in ["Token=\(token)", "xtoken=\(token)", "a=token=\(token)", "token", "token=", ""] {
                #expect(try await fixture.request("/x?\(query)").status == 401)
            }
        }
    }

    @Test func aTokenInTheQueryIsNotDecoded() async throws {
        try await withGateway(Self.from("\"query:token\"")) { fixture async throws in
            for escape in ["%2E", "%2e"] {
                let encoded = try fixture.token().replacing(".", with: escape)
                let response = try await fixture.request("/x?token=\(encoded)")
                expectChallenge(response, 401, "invalid_token", error: "invalid_token", escape)
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func aFieldHoldsTheToken() async throws {
        try await withGateway(Self.from("\"header:X-Token\"")) { fixture async throws in
            let token = try fixture.token()
            #expect(try await fixture.request("/x", fields: ["x-token: \(token)"]).status == 200)
            #expect(try await fixture.request("/x", fields: ["X-Token:   \(token) "]).status == 200)
            #expect(try await fixture.request("/x", fields: ["X_Token: \(token)"]).status == 401)
            #expect(try await fixture.request("/x", token: token).status == 401)
        }
    }

    @Test func theFirstPlaceThatHasATokenDecides() async throws {
        try await withGateway(Self.from("\"cookie:session\", bearer")) { fixture async throws in
            let alice = try fixture.token()
            let bob = try fixture.token(["sub": "bob"])
            let both = try await fixture.request("/x", token: bob, fields: ["Cookie: session=\(alice)"])
            #expect(both.status == 200)
            #expect(try await fixture.backend.arrivals.next().fields["X-User-Id"] == ["alice"])
            _ = try await fixture.request("/x", token: bob, fields: ["Cookie: other=1"])
            #expect(try await fixture.backend.arrivals.next().fields["X-User-Id"] == ["bob"])
        }
    }

    @Test func aBadTokenInTheFirstPlaceIsNotMadeGoodByTheSecond() async throws {
        try await withGateway(Self.from("\"cookie:session\", bearer")) { fixture async throws in
            let expired = try fixture.token(["exp": TestIssuer.fromNow(-3600)])
            let response = try await fixture.request(
                "/x",
                token: try fixture.token(),
                fields: ["Cookie: session=\(expired)"]
            )
            expectRefusal(response, 401, "token_expired")
        }
    }

    @Test func twoDifferentTokensInOnePlaceAreRefused() async throws {
        let setup = Self.from("bearer, \"cookie:session\", \"query:token\", \"header:X-Token\"")
        try await withGateway(setup) { fixture async throws in
            let one = try fixture.token()
            let two = try fixture.token(["sub": "bob"])
            let requests: [(String, [String])] = [
                ("/x", ["Authorization: Bearer \(one)", "Authorization: Bearer \(two)"]),
                ("/x", ["Authorization: Bearer \(one)", "authorization: bearer \(two)"]),
                ("/x", ["Cookie: session=\(one); session=\(two)"]),
                ("/x", ["Cookie: session=\(one)", "Cookie: session=\(two)"]),
                ("/x?token=\(one)&token=\(two)", []),
                ("/x?token=\(one)&tok%65n=\(two)", []),
                ("/x", ["X-Token: \(one)", "x-token: \(two)"]),
            ]
            for (index, (target, fields)) in requests.enumerated() {
                expectRefusal(try await fixture.request(target, fields: fields), 400, "bad_request", "\(index)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func twoAuthorizationsOfWhichOneIsNoBearerAreNotForwardedSideBySide() async throws {
        try await withGateway { fixture async throws in
            let fields = ["Authorization: Basic YTpi", "Authorization: Bearer \(try fixture.token())"]
            let response = try await fixture.request("/x", fields: fields)
            #expect([400, 401].contains(response.status))
            #expect(fixture.backend.requests.isEmpty)
        }
    }
}
