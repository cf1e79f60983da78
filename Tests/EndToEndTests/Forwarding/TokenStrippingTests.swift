import Testing

/// `identity.token: strip`: the backend does not see the token, and sees all else as it was.
@Suite struct TokenStrippingTests {
    private static func from(_ place: String) -> GatewaySetup {
        GatewaySetup(
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
        try await withGateway(Self.from("bearer")) { fixture async throws in
            _ = try await fixture.request("/x", token: try fixture.token(), fields: ["Cookie: a=b"])
            let seen = try await fixture.backend.arrivals.next()
            #expect(seen.fields["Authorization"] == [])
            #expect(seen.fields["Cookie"] == ["a=b"])
            #expect(seen.fields["X-User-Id"] == ["alice"])
        }
    }

    @Test func theCookieAloneLeavesTheCookieField() async throws {
        try await withGateway(Self.from("\"cookie:session\"")) { fixture async throws in
            let session = "session=\(try fixture.token())"
            let cookies = [
                "a=1; \(session); b=2": ["a=1; b=2"], "\(session); b=2": ["b=2"], "a=1; \(session)": ["a=1"],
                "a=1; xsession=2; \(session); sessionx=3": ["a=1; xsession=2; sessionx=3"], session: [],
            ]
            for (sent, forwarded) in cookies {
                _ = try await fixture.request("/x", token: "of-the-client", fields: ["Cookie: \(sent)"])
                let seen = try await fixture.backend.arrivals.next()
                #expect(seen.fields["Cookie"] == forwarded)
                #expect(seen.fields["Authorization"] == ["Bearer of-the-client"])
            }
        }
    }

    @Test func theQueryParameterGoesAndTheOthersStay() async throws {
        try await withGateway(Self.from("\"query:token\"")) { fixture async throws in
            let token = try fixture.token()
            let targets = [
                "/x?a=1&token=\(token)&b=%41": "/x?a=1&b=%41", "/x?token=\(token)&b": "/x?b",
                "/x?a&token=\(token)": "/x?a", "/x?a=token&token=\(token)": "/x?a=token",
            ]
            for (sent, forwarded) in targets {
                _ = try await fixture.request(sent)
                #expect(try await fixture.backend.arrivals.next().target == forwarded)
            }
            _ = try await fixture.request("/x?token=\(token)")
            #expect(["/x", "/x?"].contains(try await fixture.backend.arrivals.next().target))
        }
    }

    @Test func theFieldGoes() async throws {
        try await withGateway(Self.from("\"header:X-Token\"")) { fixture async throws in
            _ = try await fixture.request("/x", fields: ["x-token: \(try fixture.token())", "X-Token-2: kept"])
            let seen = try await fixture.backend.arrivals.next()
            #expect(seen.fields["X-Token"] == [])
            #expect(seen.fields["X-Token-2"] == ["kept"])
        }
    }
}
