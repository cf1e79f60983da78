import Testing

/// `identity.token: strip`: the backend does not see the token, and sees all else as it was.
@Suite struct TokenStrippingTests {
    private static func from(_ place: String) -> HouseSetup {
        HouseSetup(
            tenant: """
                authenticate:
                  from: [\(place)]
                  issuers:
                    - { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${HOUSE_SECRET}" }
                identity: { headers: { X-User-Id: sub }, token: strip }
                """
        )
    }

    @Test func theAuthorizationFieldGoes() async throws {
        try await withHouse(Self.from("bearer")) { house async throws in
            _ = try await house.request("/x", token: try house.token(), fields: ["Cookie: a=b"])
            let seen = try await house.backend.arrivals.next()
            #expect(seen.fields["Authorization"] == [])
            #expect(seen.fields["Cookie"] == ["a=b"])
            #expect(seen.fields["X-User-Id"] == ["alice"])
        }
    }

    @Test func theCookieAloneLeavesTheCookieField() async throws {
        try await withHouse(Self.from("\"cookie:session\"")) { house async throws in
            let session = "session=\(try house.token())"
            let cookies = [
                "a=1; \(session); b=2": ["a=1; b=2"], "\(session); b=2": ["b=2"], "a=1; \(session)": ["a=1"],
                "a=1; xsession=2; \(session); sessionx=3": ["a=1; xsession=2; sessionx=3"], session: [],
            ]
            for (sent, forwarded) in cookies {
                _ = try await house.request("/x", token: "of-the-client", fields: ["Cookie: \(sent)"])
                let seen = try await house.backend.arrivals.next()
                #expect(seen.fields["Cookie"] == forwarded)
                #expect(seen.fields["Authorization"] == ["Bearer of-the-client"])
            }
        }
    }

    @Test func theQueryParameterGoesAndTheOthersStay() async throws {
        try await withHouse(Self.from("\"query:token\"")) { house async throws in
            let token = try house.token()
            let targets = [
                "/x?a=1&token=\(token)&b=%41": "/x?a=1&b=%41", "/x?token=\(token)&b": "/x?b",
                "/x?a&token=\(token)": "/x?a", "/x?a=token&token=\(token)": "/x?a=token",
            ]
            for (sent, forwarded) in targets {
                _ = try await house.request(sent)
                #expect(try await house.backend.arrivals.next().target == forwarded)
            }
            _ = try await house.request("/x?token=\(token)")
            #expect(["/x", "/x?"].contains(try await house.backend.arrivals.next().target))
        }
    }

    @Test func theFieldGoes() async throws {
        try await withHouse(Self.from("\"header:X-Token\"")) { house async throws in
            _ = try await house.request("/x", fields: ["x-token: \(try house.token())", "X-Token-2: kept"])
            let seen = try await house.backend.arrivals.next()
            #expect(seen.fields["X-Token"] == [])
            #expect(seen.fields["X-Token-2"] == ["kept"])
        }
    }
}
